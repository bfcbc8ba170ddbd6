import Foundation
import FoundationNetworking
import KingfisherTestSupport
import Testing

@testable import KingfisherTransport

/// Which fetches send the credential of a URL.
@Suite struct CredentialSharingTests {
    /// Runs fetches one after the other with one store, or without one.
    private func fetch(_ urls: [URL], store: CredentialStore?) async throws -> [Int?] {
        let transport = curlTransport()
        defer { transport.invalidate() }
        let fetch = HTTPFetch(transport, credentials: store)
        var statuses: [Int?] = []
        for url in urls {
            statuses.append(try await fetch.run(request(url)).now.head?.statusCode)
        }
        return statuses
    }

    private func basicServer() throws -> LoopbackServer {
        try LoopbackServer { request in
            request.basicLogin == "me:secret"
                ? .ok(Data("image".utf8))
                : .status(401, headers: [("WWW-Authenticate", #"Basic realm="r""#)])
        }
    }

    private func url(_ path: String, _ login: String, of server: LoopbackServer) throws -> URL {
        try #require(
            URL(string: server.url(path).absoluteString.replacing("//", with: "//\(login)@")))
    }

    @Test("Without a store, a credential serves only the fetch that brought it", arguments: [true, false])
    func credentialOfOneCaller(isRemembered: Bool) async throws {
        let server = try basicServer()
        defer { server.stop() }
        let target = server.url("/a/3").absoluteString
        let elsewhere = try LoopbackServer { _ in .redirect(to: target) }
        defer { elsewhere.stop() }
        let own = try url("/a/1", "me:secret", of: server)
        let done = try await fetch(
            [own, server.url("/a/2"), elsewhere.url(), own], store: isRemembered ? CredentialStore() : nil)
        let others = isRemembered ? 200 : 401
        #expect(done == [200, others, others, 200])
        let unauthorized = server.requests.filter { $0.basicLogin == nil }.map(\.path)
        #expect(unauthorized == (isRemembered ? ["/a/1"] : ["/a/1", "/a/2", "/a/3", "/a/1"]))
    }

    @Test("A request whose own Authorization is refused is not repeated with a remembered credential")
    func refusedField() async throws {
        let server = try basicServer()
        defer { server.stop() }
        let transport = curlTransport()
        defer { transport.invalidate() }
        let fetch = HTTPFetch(transport, credentials: CredentialStore())
        var statuses: [Int?] = []
        let requests: [(url: URL, field: String?)] = [
            (try url("/a/1", "me:secret", of: server), nil), (server.url("/a/2"), "Bearer other"),
            (server.url("/a/3"), nil),
        ]
        for (url, field) in requests {
            let asked = request(url) {
                if let field { $0.urlRequest.setValue(field, forHTTPHeaderField: "Authorization") }
            }
            statuses.append(try await fetch.run(asked).now.head?.statusCode)
        }
        #expect(statuses == [200, 401, 200])
    }

    @Test("Without a store, a nonce serves the requests of one fetch, redirects included")
    func nonceOfOneFetch() async throws {
        let digest = DigestServer()
        let server = try LoopbackServer { request in
            digest.respond(
                to: request, request.path == "/1" ? .redirect(to: "/2") : .ok(Data("image".utf8)))
        }
        defer { server.stop() }
        let own = try url("/1", "me:secret", of: server)
        _ = try await fetch([own], store: nil)
        // Counts of the server's first nonce would be refused as repeated.
        digest.renew()
        let done = try await fetch([own, server.url("/2")], store: nil)
        #expect(done == [200, 401])
        let counts = server.requests.map { request in
            let field = request.header("Authorization").flatMap { ChallengeReader.read($0).first }
            return "\(request.path) \(field?.parameters["nc"]?.suffix(1) ?? "-")"
        }
        #expect(counts == ["/1 -", "/1 1", "/2 2", "/1 -", "/1 1", "/2 2", "/2 -"])
    }

    @Test("A remembered credential is not sent in place of another one in the URL")
    func credentialOfTheURLComesFirst() async throws {
        let server = try basicServer()
        defer { server.stop() }
        let urls = [
            try url("/1", "me:secret", of: server), try url("/2", "you:guess", of: server), server.url("/3"),
        ]
        let done = try await fetch(urls, store: CredentialStore())
        #expect(done == [200, 401, 200])
        #expect(
            server.requests.map { "\($0.path) \($0.basicLogin ?? "-")" } == [
                "/1 -", "/1 me:secret", "/2 -", "/2 you:guess", "/3 me:secret",
            ])
    }
}

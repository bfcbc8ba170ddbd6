import Foundation
import FoundationNetworking
import KingfisherTestSupport
import Testing

@testable import KingfisherTransport

/// What a transfer reports about its credentials.
@Suite struct SentCredentialsTests {
    /// Answers every path but "/open" only with a password, and redirects "/to".
    private func server() throws -> LoopbackServer {
        try LoopbackServer { request in
            switch request.path {
            case "/open": .ok(Data("image".utf8), headers: [("Set-Cookie", "a=1")])
            case "/to": .redirect(to: "/open")
            default:
                request.basicLogin == "me:secret"
                    ? .ok(Data("image".utf8))
                    : .status(401, headers: [("WWW-Authenticate", #"Basic realm="r""#)])
            }
        }
    }

    private func login(_ path: String, of server: LoopbackServer) throws -> URL {
        try #require(
            URL(string: server.url(path).absoluteString.replacing("//", with: "//me:secret@")))
    }

    /// Whether each fetch had credentials; they run one after the other.
    private func fetch(
        _ urls: [URL], field: String? = nil, store: CredentialStore? = nil, cookies: CookieJar? = nil
    ) async throws -> [Bool] {
        let transport = curlTransport()
        defer { transport.invalidate() }
        let fetch = HTTPFetch(transport, credentials: store, cookies: cookies)
        var results: [Bool] = []
        for url in urls {
            let request = request(url) { request in
                if let field { request.urlRequest.setValue("1", forHTTPHeaderField: field) }
            }
            results.append(try await fetch.run(request).metrics().hadCredentials)
        }
        return results
    }

    @Test(
        "Fields with credentials count, before redirects as well",
        arguments: [
            ("Authorization", true), ("cookie", true), ("Proxy-Authorization", true), ("X-Other", false),
        ])
    func fields(field: String, counts: Bool) async throws {
        let server = try server()
        defer { server.stop() }
        let elsewhere = try LoopbackServer { [url = server.url("/open").absoluteString] _ in
            .redirect(to: url)
        }
        defer { elsewhere.stop() }
        let urls = [server.url("/open"), server.url("/to"), elsewhere.url()]
        #expect(try await fetch(urls, field: field) == [counts, counts, counts])
        // The redirect to another origin has dropped the field, but it has decided about the target.
        let dropped = server.requests.last?.header(field) == nil
        #expect(dropped == counts)
    }

    @Test("User name and password of a URL count, and those that the downloader remembers")
    func logins() async throws {
        let server = try server()
        defer { server.stop() }
        let urls = [try login("/open", of: server), try login("/1", of: server), server.url("/open")]
        #expect(try await fetch(urls) == [true, true, false])
        #expect(
            try await fetch([try login("/1", of: server), server.url("/2")], store: CredentialStore())
                == [true, true])
    }

    @Test("Cookies of the downloader's storage belong to all callers and do not count")
    func cookies() async throws {
        let server = try server()
        defer { server.stop() }
        let jar = try #require(CookieJar(URLSessionConfiguration.ephemeral))
        let urls = [server.url("/open"), server.url("/open")]
        #expect(try await fetch(urls, cookies: jar) == [false, false])
        #expect(server.requests.last?.header("Cookie") == "a=1")
    }

    @Test("A client certificate counts for the servers that it is for")
    func certificate() async throws {
        var tls = ServerTLS()
        tls.clientAuthority = Fixtures.url(named: "TLS/client-authority.pem")
        tls.requiresClientCertificate = false
        let server = try LoopbackServer(tls: tls) { .ok(Data(($0.clientName ?? "anonymous").utf8)) }
        defer { server.stop() }
        let (rig, certificate) = (TLSRig(), try TLSRig.reader)
        let configuration = try TLSRig.configuration {
            $0.clientCertificates["localhost:\(server.port)"] = certificate
        }
        for (host, counts) in [("localhost", true), ("127.0.0.1", false)] {
            let metrics = try await rig.send(server.url(host: host), configuration).now.result?.get()
            #expect(metrics?.hadCredentials == counts)
        }
    }
}

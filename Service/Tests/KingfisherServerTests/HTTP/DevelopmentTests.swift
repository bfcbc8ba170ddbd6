import Foundation
import KingfisherService
import KingfisherTestSupport
import Testing

@testable import KingfisherServer

/// The page for people in development, and what its script asks for.
@Suite struct DevelopmentTests {
    private func run(_ body: (ServerUnderTest) async throws -> Void) async throws {
        let photo = Fixtures.url(named: "Photos/chelsea.jpg")
        try await ServerUnderTest.run { settings in
            settings.responses.isDevelopment = true
            settings.folder = photo.deletingLastPathComponent()
            settings.urls.sources.allowsFolder = true
        } _: {
            try await body($0)
        }
    }

    private func signature(_ path: String, on server: ServerUnderTest) async throws -> ServerUnderTest.Reply {
        let allowed = CharacterSet.alphanumerics
        let text = try #require(path.addingPercentEncoding(withAllowedCharacters: allowed))
        return try await server.request("/development/sign?path=\(text)")
    }

    @Test func `The page loads nothing from elsewhere, and no other site can show or read it`() async throws {
        try await run { server in
            let page = try await server.request("/")
            #expect(page.status == 200 && page.value("Content-Type") == "text/html; charset=utf-8")
            let policy = try #require(page.value("Content-Security-Policy"))
            #expect(policy.hasPrefix("default-src 'none';") && policy.contains("frame-ancestors 'none'"))
            #expect(!policy.contains("unsafe") && page.value("Access-Control-Allow-Origin") == nil)
            let nonce = try #require(policy.firstMatch(of: /'nonce-([^']+)'/)?.1)
            #expect(page.text.contains("<script nonce=\"\(nonce)\">"))
            #expect(!page.text.contains(/(src|href)="https?:/))
            let again = try await server.request("/")
            #expect(again.value("Content-Security-Policy") != policy)
            #expect(try await server.request("/", "POST").status == 405)
        }
    }

    @Test func `A path of the page is signed, and an error says what is wrong with it`() async throws {
        try await run { server in
            let choices = try await server.request("/development/choices").text
            #expect(choices.contains("\"chelsea.jpg\"") && choices.contains("\"cover\""))
            let reply = try await signature("/fit:9x9/plain/local:///chelsea.jpg", on: server)
            let object = try JSONDecoder().decode([String: String].self, from: reply.body)
            let image = try await server.request(try #require(object["url"]))
            #expect(image.status == 200 && image.value("Content-Type") == "image/jpeg")
            let wrong = try await signature("/fit:9y9/plain/local:///chelsea.jpg", on: server)
            #expect(wrong.status == 400 && wrong.text.contains("fit"))
            let outside = try await signature("/plain/ftp://example.com/a.jpg", on: server)
            #expect([400, 403].contains(outside.status) && !outside.text.isEmpty)
            #expect(outside.value("Access-Control-Allow-Origin") == nil)
        }
    }

    @Test(arguments: ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "192.168.0.1", ""])
    func `A request by the name of another host is refused, because names can be rebound`(
        _ host: String
    ) async throws {
        #expect(try await statuses("Host: \(host)") == [403, 403, 403])
    }

    @Test(arguments: ["localhost", "localhost:8080", "[::1]:8080", "127.0.0.2"])
    func `A request by a name of this machine is not refused`(_ host: String) async throws {
        #expect(try await statuses("Host: \(host)").prefix(2) == [200, 200])
    }

    @Test(arguments: ["Forwarded: for=192.0.2.1", "X-Forwarded-For: 192.0.2.1", "Via: 1.1 proxy"])
    func `A request through a proxy is refused, because its client can be elsewhere`(
        _ field: String
    ) async throws {
        #expect(try await statuses("Host: localhost\r\n\(field)") == [403, 403, 403])
    }

    /// The statuses of the page, its choices and a signature.
    private func statuses(_ fields: String) async throws -> [Int?] {
        var statuses: [Int?] = []
        try await run { server in
            for path in ["/", "/development/choices", "/development/sign?path=/plain/local:///a.jpg"] {
                let status = try await server.onThread {
                    let client = try server.client()
                    client.sendRaw("GET \(path) HTTP/1.1\r\n\(fields)\r\nConnection: close\r\n\r\n")
                    return client.reply(within: .seconds(20))?.status
                }
                statuses.append(status)
            }
        }
        return statuses
    }

    @Test func `Without development there is no page, and nothing is signed`() async throws {
        try await ServerUnderTest.run { server in
            for path in ["/", "/development/choices", "/development/sign?path=/plain/local:///a.jpg"] {
                let status = try await server.request(path).status
                #expect([400, 403, 404].contains(status))
            }
        }
    }
}

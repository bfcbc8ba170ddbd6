import Foundation
import KingfisherService
import KingfisherTestSupport
import Testing

@testable import KingfisherServer

/// Malformed and unusual requests.
@Suite struct RequestTests {
    @Test func `Health and readiness respond on both ports`() async throws {
        try await ServerUnderTest.run { server in
            var statuses: [Int] = []
            for path in ["/health", "/ready", "/metrics", "/other"] {
                statuses.append(try await server.request(path, toAdmin: true).status)
            }
            statuses.append(try await server.request("/health", "DELETE", toAdmin: true).status)
            let head = try await server.request("/health", "HEAD")
            #expect(head.status == 200 && head.body.isEmpty && head.value("Content-Length") == "3")
            for path in ["/health", "/ready", "/metrics"] {
                statuses.append(try await server.request(path).status)
            }
            #expect(statuses == [200, 200, 200, 404, 405, 200, 200, 403])
        }
    }

    @Test(arguments: ["PUT", "DELETE", "PATCH", "OPTIONS"])
    func `Another method is refused with the allowed ones`(method: String) async throws {
        try await ServerUnderTest.run { server in
            let reply = try await server.request("/anything", method)
            #expect(reply.status == 405 && reply.value("Allow")?.contains("GET") == true)
        }
    }

    @Test(arguments: [
        ("/S/plain/http://e.com/a.jpg?w=1", 400), ("//x", 400), ("/", 403), ("/favicon.ico", 403),
        ("/" + String(repeating: "a", count: 8_192), 414), ("/imgproxy/x/y", 403), ("/%zz", 403),
    ])
    func `A malformed path is refused`(path: String, status: Int) async throws {
        try await ServerUnderTest.run { server in
            let reply = try await server.onThread {
                let client = try server.client()
                client.send(path)
                return client.reply(within: .seconds(10))?.status
            }
            #expect(reply == status || (reply == 404 && status == 403) || (reply == 400 && status == 403))
        }
    }

    @Test(arguments: [(1, 40_000), (200, 10)])
    func `Oversized header fields are refused`(fields: Int, length: Int) async throws {
        try await ServerUnderTest.run { server in
            let headers = (0..<fields).map { ("X-\($0)", String(repeating: "x", count: length)) }
            let status = try await server.onThread {
                let client = try server.client()
                client.send("/health", headers: headers)
                return client.reply(within: .seconds(10))?.status
            }
            #expect(status == 400 || status == 431)
        }
    }

    @Test func `A GET with a body is refused, and every response forbids scripts`() async throws {
        try await ServerUnderTest.run { server in
            let path = try server.urls.sign(path: "/plain/http://127.0.0.1:1/a.jpg")
            let status = try await server.onThread {
                let client = try server.client()
                client.sendRaw("GET \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
                return client.reply(within: .seconds(10))?.status
            }
            #expect(status == 413)
            let refused = try await server.request("/x/plain/http://e.com/a.jpg")
            #expect(refused.value("X-Content-Type-Options") == "nosniff")
            #expect(refused.value("Content-Security-Policy") == "default-src 'none'; sandbox")
            #expect(refused.value("Cache-Control") == "no-store")
        }
    }

    @Test(arguments: ["-1\r\nx\r\n", "FFFFFFFFFFFFFFFFF\r\nx\r\n", "1\r\nxx0\r\n\r\n"])
    func `A malformed body of an upload is refused once, and the connection closed`(body: String) async throws
    {
        try await ServerUnderTest.run { server in
            let path = try server.urls.sign(path: "/expires:4000000000/upload@png")
            let (text, isClosed) = try await server.onThread {
                let client = try server.client()
                client.sendRaw(
                    "POST \(path) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(body)")
                let (bytes, isClosed) = client.everything(within: .seconds(20), pause: .seconds(20))
                return (String(decoding: bytes, as: UTF8.self), isClosed)
            }
            #expect(text.hasPrefix("HTTP/1.1 400 ") && isClosed)
            #expect(text.components(separatedBy: "HTTP/1.1 ").count == 2)
        }
    }

    @Test func `The rest of a request that was refused early is not read as another request`() async throws {
        try await ServerUnderTest.run { server in
            // Without the option that an upload needs, the body is not read.
            let path = try server.urls.sign(path: "/upload@png")
            let (text, isClosed) = try await server.onThread {
                let client = try server.client()
                client.sendRaw("POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n1")
                let first = client.reply(within: .seconds(20))
                client.sendRaw("23GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
                let (rest, isClosed) = client.everything(within: .seconds(20), pause: .seconds(20))
                return ("\(first?.status ?? 0) \(first?.fields["connection"] ?? "") \(rest.count)", isClosed)
            }
            #expect(text == "400 close 0" && isClosed)
        }
    }

    @Test func `A sane request identifier is kept, another one replaced`() async throws {
        try await ServerUnderTest.run { server in
            let kept = try await server.request("/x", fields: ["X-Request-ID": "abc-1"])
            #expect(kept.value("X-Request-ID") == "abc-1")
            let replaced = try await server.request("/x", fields: ["X-Request-ID": "a b\"c"])
            #expect(replaced.value("X-Request-ID").map { $0 != "a b\"c" && !$0.isEmpty } == true)
        }
    }
}

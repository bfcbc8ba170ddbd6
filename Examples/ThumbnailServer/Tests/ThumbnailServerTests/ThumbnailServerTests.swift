import Foundation
import Hummingbird
import Kingfisher
import KingfisherTestSupport
import Testing

@testable import ThumbnailServer

@Suite struct ThumbnailServerTests {
    @Test func `Repeated requests fetch the source once`() async throws {
        let png = try Fixtures.data(named: "PNG/rgba8.png")
        let images = try LoopbackServer { _ in .ok(png) }
        defer { images.stop() }
        try await ServerUnderTest.run { server in
            for _ in 0..<3 {
                let target = ServerUnderTest.target(images.url("/photo.png?a=b"))
                let reply = try #require(try await server.get(target))
                #expect(reply.status == 200)
                let image = try #require(Image(data: reply.body))
                #expect(max(image.size.width, image.size.height) == 16)
            }
        }
        #expect(images.requestCount() == 1)
        #expect(images.requests.first?.target == "/photo.png?a=b")
    }

    @Test func `Each size has its own thumbnail, as JPEG without transparency`() async throws {
        let jpeg = try Fixtures.data(named: "Photos/chelsea-eyes.jpg")
        let images = try LoopbackServer { _ in .ok(jpeg) }
        defer { images.stop() }
        try await ServerUnderTest.run { server in
            for side in [8, 16, 8, 16] {
                let target = ServerUnderTest.target(images.url("/photo.jpg"), side: side)
                let reply = try #require(try await server.get(target))
                let image = try #require(Image(data: reply.body))
                #expect(max(image.size.width, image.size.height) == CGFloat(side))
                #expect(reply.body.kf.imageFormat == .JPEG)
            }
        }
    }

    /// FlyingFox took 44 ms for each: Nagle's algorithm held the second write back for a delayed ACK.
    @Test func `A connection is reused for cached thumbnails without delay`() async throws {
        let png = try Fixtures.data(named: "PNG/rgba8.png")
        let images = try LoopbackServer { _ in .ok(png) }
        defer { images.stop() }
        try await ServerUnderTest.run { server in
            let target = ServerUnderTest.target(images.url("/photo.png"))
            let first = try await server.get(target)
            #expect(first?.status == 200)
            let replies = try await server.onThread {
                let client = try server.client()
                return (0..<8).compactMap { _ in
                    client.send(target)
                    return client.reply(within: .seconds(10))
                }
            }
            #expect(replies.map(\.status) == Array(repeating: 200, count: 8))
            #expect(replies.map(\.seconds).min() ?? 1 < 0.03)
        }
    }

    @Test func `Errors have a status and one line of text`() async throws {
        let text = Data("no image".utf8)
        let images = try LoopbackServer { request in
            switch request.path {
            case "/text": .ok(text)
            case "/large": .lying(text, announcing: "\(17 << 20)")
            case "/busy": .status(503)
            default: .status(404)
            }
        }
        defer { images.stop() }
        let bomb = try HostileFile.hugePNG()
        let bombs = try LoopbackServer { _ in .ok(bomb) }
        defer { bombs.stop() }
        func target(_ path: String) -> String { ServerUnderTest.target(images.url(path)) }
        try await ServerUnderTest.run { server in
            let cases = [
                (target("/missing"), 404), (target("/missing"), 404), (target("/text"), 422),
                (target("/text"), 422), (target("/large"), 413),
                (target("/busy"), 502), (ServerUnderTest.target(bombs.url("/bomb")), 422),
                ("/thumbnail?url=x", 400), ("/", 404),
                ("/thumbnail?" + String(repeating: "x", count: 5_000), 414),
            ]
            for (target, status) in cases {
                let reply = try #require(try await server.get(target))
                #expect(reply.status == status, "\(target.prefix(80))")
                let line = String(decoding: reply.body, as: UTF8.self)
                #expect(line.count > 1 && line.firstIndex(of: "\n") == line.indices.last)
            }
        }
        #expect(["/missing", "/text"].allSatisfy { images.requestCount($0) == 1 })
    }

    @Test func `A non-public address receives no request`() async throws {
        let images = try LoopbackServer { _ in .status(404) }
        defer { images.stop() }
        try await ServerUnderTest.run(anyAddress: false) { server in
            let reply = try await server.get(ServerUnderTest.target(images.url("/photo")))
            #expect(reply?.status == 502)
        }
        #expect(images.requestCount() == 0)
    }

    @Test func `Failed transfers map to gateway statuses`() {
        func status(_ code: URLError.Code) -> Int {
            Response.failure(.responseError(reason: .URLSessionError(error: URLError(code)))).status.code
        }
        #expect(status(.timedOut) == 504)
        #expect(status(.dataLengthExceedsMaximum) == 413)
        #expect(status(.cannotFindHost) == 502)
    }
}

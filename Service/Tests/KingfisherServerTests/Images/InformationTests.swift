import Foundation
import Kingfisher
import KingfisherService
import KingfisherTestSupport
import Testing

@testable import KingfisherServer

/// Facts about sources as JSON, over the socket.
@Suite struct InformationTests {
    private func origin() throws -> LoopbackServer {
        let files = [
            "/turned.jpg": try Fixtures.data(named: "Metadata/camera.jpg"),
            "/cat.jpg": try Fixtures.data(named: "Photos/chelsea.jpg"),
            "/a.gif": try Fixtures.data(named: "GIF/delays.gif"),
            "/a.svg": Data(
                "<svg xmlns='http://www.w3.org/2000/svg' width='30' height='20'><path d='M0 0h9v9z'/></svg>"
                    .utf8),
        ]
        return try LoopbackServer { request in
            if request.path == "/corrupt.jpg" { return .ok(Data("\u{FF}\u{D8}no image".utf8)) }
            return files[request.path].map { .ok($0) } ?? .status(404)
        }
    }

    private func path(
        _ server: ServerUnderTest, _ source: URL, _ options: String = ""
    ) throws -> String {
        try server.urls.sign(path: "/info\(options)/plain/\(source.absoluteString)")
    }

    private func object(_ reply: ServerUnderTest.Reply) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: reply.body) as? [String: Any])
    }

    @Test func `A photograph has facts, and hashes on request; the response is cached like an image`()
        async throws
    {
        let origin = try origin()
        defer { origin.stop() }
        try await ServerUnderTest.run { server in
            let source = origin.url("/cat.jpg")
            let reply = try await server.request(try path(server, source))
            #expect(reply.status == 200 && reply.value("Content-Type") == "application/json")
            #expect(reply.value("Vary") == nil)
            #expect(reply.value("Cache-Control")?.hasPrefix("public, max-age=86400") == true)
            let facts = try object(reply)
            #expect(facts["format"] as? String == "jpeg" && facts["mediaType"] as? String == "image/jpeg")
            #expect(facts["width"] as? Int == 451 && facts["height"] as? Int == 300)
            #expect(facts["frames"] as? Int == 1 && facts["alpha"] as? Bool == false)
            #expect(facts["bytes"] as? Int == (try Fixtures.data(named: "Photos/chelsea.jpg")).count)
            #expect(facts["blurHash"] == nil && facts["duration"] == nil)

            let hashes = try object(
                try await server.request(try path(server, source, "/blurhash/thumbhash")))
            #expect((hashes["blurHash"] as? String)?.count == 28)
            #expect((hashes["thumbHash"] as? String).flatMap { Data(base64Encoded: $0) } != nil)

            let tag = try #require(reply.value("ETag"))
            let same = try await server.request(try path(server, source), fields: ["If-None-Match": tag])
            #expect(same.status == 304)
            let head = try await server.request(try path(server, source), "HEAD")
            #expect(head.status == 200 && head.body.isEmpty)
            #expect(head.value("Server-Timing")?.contains("cache;desc=memory") == true)
            #expect(origin.requestCount() == 1)

            _ = try await server.purge("{\"url\":\"\(source.absoluteString)\"}")
            #expect(try await server.request(try path(server, source)).status == 200)
            #expect(origin.requestCount() == 2)
        }
    }

    @Test func `Metadata of the camera is a part of the facts, its location only if the URL asks for it`()
        async throws
    {
        let origin = try origin()
        defer { origin.stop() }
        try await ServerUnderTest.run { server in
            let source = origin.url("/turned.jpg")
            let facts = try object(try await server.request(try path(server, source)))
            #expect((facts["exif"] as? [String: Any])?["lensMake"] as? String == "Halcyon")
            #expect(facts["location"] == nil)
            let iptc = try #require(facts["iptc"] as? [String: Any])
            #expect(iptc["title"] as? String == "Gradient")
            #expect(iptc["city"] == nil && iptc["country"] == nil)
            let all = try object(try await server.request(try path(server, source, "/metadata:keep")))
            #expect(all["location"] != nil)
            #expect((all["iptc"] as? [String: Any])?["city"] as? String == "Sydney")
        }
    }

    @Test func `An animation has frames and a duration, and an SVG its size`() async throws {
        let origin = try origin()
        defer { origin.stop() }
        try await ServerUnderTest.run { server in
            let gif = try object(try await server.request(try path(server, origin.url("/a.gif"))))
            let duration = try #require(gif["duration"] as? Double)
            #expect(gif["frames"] as? Int ?? 0 > 1 && duration > 0 && "\(duration)".utf8.count < 8)
            let svg = try object(try await server.request(try path(server, origin.url("/a.svg"))))
            #expect(svg["width"] as? Int == 30 && svg["mediaType"] as? String == "image/svg+xml")
        }
    }

    @Test func `An upload has facts; a turned HEIC file has its size as shown`() async throws {
        let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../..")
        let file = try Data(contentsOf: package.appending(path: "Fuzz/seeds/heic/turned.heic"))
        let shown = try #require(file.kf.imageInfo)
        try await ServerUnderTest.run { server in
            let path = try server.urls.sign(path: "/info/expires:4000000000/thumbhash/upload")
            let reply = try await server.request(path, "POST", body: file)
            #expect(reply.status == 200 && reply.value("Content-Type") == "application/json")
            let facts = try object(reply)
            #expect(facts["mediaType"] as? String == "image/heic" && facts["bytes"] as? Int == file.count)
            #expect(facts["width"] as? Int == shown.width && facts["height"] as? Int == shown.height)
            #expect(facts["orientation"] as? String != "up" && facts["thumbHash"] is String)
            #expect(try await server.request(path).status == 405)
        }
    }

    @Test func `What is no image is 422, a missing one 404, and the signature of an image is 403`()
        async throws
    {
        let origin = try origin()
        defer { origin.stop() }
        try await ServerUnderTest.run { server in
            func status(_ path: String, _ method: String = "GET") async throws -> Int {
                try await server.request(path, method).status
            }
            #expect(try await status(try path(server, origin.url("/corrupt.jpg"))) == 422)
            #expect(try await status(try path(server, origin.url("/none.jpg"))) == 404)
            #expect(try await status(try path(server, origin.url("/cat.jpg")), "POST") == 405)
            let image = try server.path(origin.url("/cat.jpg"), "")
            #expect(try await status("/info" + image) == 403)
            #expect(try await status(try path(server, origin.url("/cat.jpg"), "/fit:9x9")) == 400)
        }
    }

    @Test func `A stale fact is asked for again and survives 304`() async throws {
        let photo = try Fixtures.data(named: "Photos/chelsea.jpg")
        let fields = [("ETag", "\"1\""), ("Cache-Control", "max-age=0")]
        let origin = try LoopbackServer { request in
            request.header("If-None-Match") != nil
                ? .status(304, headers: fields) : .ok(photo, headers: fields)
        }
        defer { origin.stop() }
        try await ServerUnderTest.run { settings in
            settings.caches.sourceMinimumLifetime = 0
        } _: { server in
            let path = try path(server, origin.url("/cat.jpg"))
            let first = try await server.request(path)
            let second = try await server.request(path)
            #expect(first.status == 200 && second.status == 200 && first.body == second.body)
            #expect(origin.requestCount() == 2)
        }
    }
}

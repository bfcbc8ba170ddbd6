import Foundation
import Kingfisher
import KingfisherService
import KingfisherTestSupport
import Synchronization
import Testing

@testable import KingfisherServer

/// Results whose encoders are slow: another format at once, the requested one later.
@Suite struct BackgroundFormatTests {
    private static let avif = ImageFormat(name: "AVIF")

    private func origin() throws -> LoopbackServer {
        let photo = try Fixtures.data(named: "Photos/chelsea.jpg")
        return try LoopbackServer { _ in .ok(photo) }
    }

    /// Results above 2,000 pixels in the background, and none above `maximum`.
    private func run(
        in folder: URL? = nil, maximum: Int = 100_000, _ body: (ServerUnderTest) async throws -> Void
    ) async throws {
        try await ServerUnderTest.run(in: folder) { settings in
            settings.formats = [Self.avif, ImageFormat(name: "WEBP")]
            (settings.slowFormats.backgroundPixels, settings.slowFormats.maximumPixels) = (2_000, maximum)
        } _: {
            try await body($0)
        }
    }

    private let accept = ["Accept": "image/avif,image/webp,*/*"]

    private func reply(
        _ server: ServerUnderTest, _ path: String, becomes type: String
    ) async throws -> ServerUnderTest.Reply {
        var reply = try await server.request(path, fields: accept)
        for _ in 0..<600 where reply.value("Content-Type") != type {
            try await Task.sleep(for: .milliseconds(50))
            reply = try await server.request(path, fields: accept)
        }
        return reply
    }

    @Test(arguments: [nil, "avif"])
    func `A large result is a JPEG for 30 s, and an AVIF when that is made, also after a restart`(
        format: String?
    ) async throws {
        let (origin, folder) = (try origin(), unusedFolder())
        defer {
            origin.stop()
            try? FileManager.default.removeItem(at: folder)
        }
        try await run(in: folder) { server in
            let path = try server.path(origin.url("/cat.jpg"), "fit:200x200", format: format)
            let first = try await server.request(path, fields: accept)
            #expect(first.value("Content-Type") == "image/jpeg")
            #expect(first.value("Cache-Control") == "public, max-age=30")
            #expect(first.value("Vary") == (format == nil ? "Accept" : nil))
            let last = try await reply(server, path, becomes: "image/avif")
            #expect(last.value("Content-Type") == "image/avif" && last.value("ETag") != first.value("ETag"))
            #expect(last.value("Cache-Control")?.hasPrefix("public, max-age=86") == true)
            #expect(last.value("Server-Timing")?.contains("cache;desc=memory") == true)
            var metrics = ""
            for _ in 0..<100 where !metrics.contains("background_queue_length 0") {
                metrics = try await server.request("/metrics", toAdmin: true).text
            }
            #expect(metrics.contains("kingfisher_server_background_files_total{outcome=\"made\"} 1"))
            #expect(metrics.contains("kingfisher_server_background_queue_length 0"))
        }
        try await run(in: folder) { server in
            let path = try server.path(origin.url("/cat.jpg"), "fit:200x200", format: format)
            let reply = try await server.request(path, fields: accept)
            #expect(reply.value("Content-Type") == "image/avif")
            #expect(reply.value("Server-Timing")?.contains("cache;desc=disk") == true)
        }
        #expect(origin.requestCount() == 1)
    }

    @Test func `A small result is an AVIF at once, and one above the maximum stays a JPEG`() async throws {
        let origin = try origin()
        defer { origin.stop() }
        try await run { server in
            let small = try server.path(origin.url("/cat.jpg"), "fit:40x40")
            #expect(try await server.request(small, fields: accept).value("Content-Type") == "image/avif")
            let large = try server.path(origin.url("/cat.jpg"), "fit:400x400")
            for _ in 0..<2 {
                let reply = try await server.request(large, fields: accept)
                #expect(reply.value("Content-Type") == "image/jpeg")
                #expect(reply.value("Cache-Control")?.hasPrefix("public, max-age=86") == true)
            }
            let metrics = try await server.request("/metrics", toAdmin: true).text
            #expect(metrics.contains("kingfisher_server_background_files_total{outcome=\"made\"} 0"))
        }
    }

    @Test func `A request does not wait while the file is made`() async throws {
        let origin = try origin()
        defer { origin.stop() }
        try await run(maximum: 9_000_000) { server in
            let path = try server.path(origin.url("/cat.jpg"), "effort:8/fit:1200x1200,enlarge")
            let start = ContinuousClock.now
            _ = try await server.request(path, fields: accept)
            var (longest, type) = (Duration.zero, "")
            while type != "image/avif", .now - start < .seconds(60) {
                let begin = ContinuousClock.now
                type = try await server.request(path, fields: accept).value("Content-Type") ?? ""
                longest = max(longest, .now - begin)
            }
            #expect(type == "image/avif")
            #expect(longest < (.now - start) / 3, "of \(ContinuousClock.now - start)")
        }
    }

    @Test func `A purge removes both files, and the source is fetched again`() async throws {
        let origin = try origin()
        defer { origin.stop() }
        try await run { server in
            let path = try server.path(origin.url("/cat.jpg"), "fit:200x200")
            _ = try await reply(server, path, becomes: "image/avif")
            let purged = try await server.purge("{\"url\":\"\(origin.url("/cat.jpg").absoluteString)\"}")
            #expect(purged.status == 200)
            #expect(try await server.request(path, fields: accept).value("Content-Type") == "image/jpeg")
            #expect(origin.requestCount() == 2)
        }
    }

    @Test func `An upload that is not stored is an AVIF at once`() async throws {
        let photo = try Fixtures.data(named: "Photos/chelsea.jpg")
        try await run { server in
            let path = try server.urls.sign(path: "/fit:200x200/expires:32503680000/upload")
            let reply = try await server.request(path, "POST", fields: accept, body: photo)
            #expect(reply.value("Content-Type") == "image/avif")
        }
    }

    private final class Made: Sendable {
        private let state = Mutex<[String]>([])
        var keys: [String] { state.withLock { $0 } }
        func add(_ key: String) { state.withLock { $0.append(key) } }
    }

    @Test func `A full queue drops files, equal ones are queued once, failed ones are not repeated`()
        async throws
    {
        let metrics = ServerMetrics(version: "1", workers: 1)
        let state = ServerState()
        let made = Made()
        let background = BackgroundFormats(state, metrics) { load in
            made.add(load.key)
            if load.key.contains("bad") { throw ServiceError(422, "bad") }
        }
        func load(_ name: String) throws -> ServiceLoad {
            let request = ServiceRequest(source: .http(try #require(URL(string: "http://a/\(name)"))))
            let negotiation = FormatNegotiation(formats: [], stills: [.PNG, .JPEG], animations: [])
            return try ServiceLoad(request, accept: AcceptHeader([]), negotiation)
        }
        func value(_ outcome: String) -> String? {
            metrics.registry.value("kingfisher_server_background_files_total{outcome=\"\(outcome)\"}")
        }
        for number in 0..<BackgroundFormats.maximumLength { background.add(try load("\(number)")) }
        background.add(try load("0"))
        #expect(value("dropped") == "0")
        background.add(try load("one more"))
        #expect(value("dropped") == "1")
        #expect(metrics.registry.value("kingfisher_server_background_queue_length") == "256")

        state.queueChanged(waiting: 1, of: 9)
        let work = Task { try await background.run() }
        try await Task.sleep(for: .milliseconds(300))
        #expect(made.keys.isEmpty)
        state.queueChanged(waiting: 0, of: 9)
        #expect(await poll { value("made") == "256" })
        for _ in 0..<2 {
            background.add(try load("bad"))
            #expect(await poll { value("failed") == "1" })
        }
        background.add(try load("good"))
        #expect(await poll { value("made") == "257" })
        #expect(made.keys.count { $0.contains("bad") } == 1)
        work.cancel()
        try await work.value
    }
}

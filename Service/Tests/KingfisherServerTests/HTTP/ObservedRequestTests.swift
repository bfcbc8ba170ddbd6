import Foundation
import KingfisherService
import KingfisherTestSupport
import Testing

@testable import KingfisherServer

/// What operators see of requests, and what clients get for sources that fail.
@Suite struct ObservedRequestTests {
    /// The value of a series in the metrics of a server.
    private func value(_ series: String, of server: ServerUnderTest) async throws -> Double? {
        let text = try await server.request("/metrics", toAdmin: true).text
        let line = text.split(separator: "\n").first { $0.hasPrefix("\(series) ") }
        return line?.split(separator: " ").last.flatMap { Double($0) }
    }

    @Test func `Metrics count requests by status, results by origin, and refused signatures`() async throws {
        let photo = try Fixtures.data(named: "Photos/chelsea.jpg")
        let origin = try LoopbackServer { request in request.path == "/cat.jpg" ? .ok(photo) : .status(404) }
        defer { origin.stop() }
        try await ServerUnderTest.run { server in
            let path = try server.path(origin.url("/cat.jpg"))
            for _ in 0..<3 { _ = try await server.request(path) }
            _ = try await server.request(server.path(origin.url("/none.jpg")))
            _ = try await server.request(path.replacing("fit:64x64", with: "fit:63x64"))
            _ = try await server.purge(#"{"tag":"none"}"#)
            let prefix = "kingfisher_server_"
            let expected: [(String, Double)] = [
                ("requests_total", 5), (#"status_codes_total{status="200"}"#, 3),
                (#"status_codes_total{status="404"}"#, 1), (#"status_codes_total{status="403"}"#, 1),
                (#"results_total{from="source"}"#, 1), (#"results_total{from="memory"}"#, 2),
                (#"errors_total{type="source_missing"}"#, 1), ("signature_failures_total", 1),
                ("cache_hits_total", 2), ("cache_misses_total", 1), ("requests_in_progress", 0),
                ("images_in_progress", 0), ("purged_files_total", 0),
            ]
            for (series, count) in expected {
                #expect(try await value(prefix + series, of: server) == count, "\(series)")
            }
            let downloads = try await value(
                #"kingfisher_server_request_span_duration_seconds_count{span="downloading"}"#, of: server)
            // The observer gets events of the whole process.
            #expect(downloads.map { $0 >= 2 } == true)
        }
    }

    @Test func `A source that is not allowed is no refused signature, and the log tells it apart`()
        async throws
    {
        let pair = try PacketPair()
        let log = LineLogHandler.logger(level: "info", json: false, to: LogOutput(descriptor: pair.input))
        try await ServerUnderTest.run(logger: log) { settings in
            settings.urls.sources.allowed = ["https://example.com/"]
        } _: { server in
            let path = try server.path(#require(URL(string: "https://other.example/a.jpg")))
            let refused = try await server.request(path)
            let unsigned = try await server.request(path.replacing("fit:64x64", with: "fit:63x64"))
            #expect(refused.status == 403 && unsigned.status == 403 && refused.text == unsigned.text)
            #expect(try await value("kingfisher_server_signature_failures_total", of: server) == 1)
        }
        let lines = pair.packets().filter { $0.contains("status=403") }
        let causes = try [ServiceError.sourceNotAllowed, .invalidSignature].map { try #require($0.cause) }
        #expect(lines.map { $0.contains(" signature=") } == [false, true])
        #expect(zip(lines, causes).allSatisfy { line, cause in line.contains("reason=\"\(cause)\"") })
    }

    @Test func `A source that fails gives the fallback image that its URL names`() async throws {
        let origin = try LoopbackServer { _ in .status(404) }
        defer { origin.stop() }
        let file = unusedFolder().appendingPathExtension("png")
        try Fixtures.data(named: "PNG/rgba8.png").write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await ServerUnderTest.run { settings in
            settings.fallbacks = ["grey": file]
            settings.urls.fallbacks = ["grey"]
        } _: { server in
            let path = try server.path(origin.url("/none.jpg"), "fit:20x20/fallback:grey", format: "png")
            let reply = try await server.request(path)
            #expect(reply.status == 200 && reply.value("X-Kingfisher-Fallback") == "1")
            #expect(reply.value("Cache-Control")?.contains("max-age=60") == true)
            let without = try await server.request(server.path(origin.url("/none.jpg"), "fit:20x20"))
            #expect(without.status == 404)
            let unknown = try await server.request(server.path(origin.url("/none.jpg"), "fallback:other"))
            #expect(unknown.status == 400)
        }
    }
}

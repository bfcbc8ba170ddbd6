import CoreMetrics
import Foundation
import KingfisherSharedCache
import KingfisherTestSupport
import Testing

@testable import ThumbnailServer

@Suite struct MetricsTests {
    @Test func `Series are sorted lines, and a timer is a count and seconds`() {
        let metrics = TextMetrics()
        Counter(label: "b.c", dimensions: [("x", "1\"2")], factory: metrics).increment(by: 2)
        Counter(label: "b.c", dimensions: [("x", "1\"2")], factory: metrics).increment()
        Gauge(label: "a", factory: metrics).record(0.5)
        CoreMetrics.Timer(label: "t", factory: metrics).recordNanoseconds(1_500_000_000)
        #expect(metrics.text == "a 0.5\nb_c{x=\"12\"} 3\nt_count 1\nt_seconds 1.5")
    }

    @Test func `Responses are counted by origin, also while the shared engine is down`() async throws {
        let png = try Fixtures.data(named: "PNG/rgba8.png")
        let images = try LoopbackServer { _ in .ok(png) }
        defer { images.stop() }
        try await ServerUnderTest.run(metrics: true, shared: "redis://127.0.0.1:1") { server in
            for _ in 0..<3 {
                let reply = try await server.get(ServerUnderTest.target(images.url("/photo.png")))
                #expect(reply?.status == 200)
            }
            let reply = try #require(try await server.get("/metrics"))
            let lines = String(decoding: reply.body, as: UTF8.self).split(separator: "\n")
            #expect(lines.contains("thumbnail_server_responses{from=\"source\"} 1"))
            #expect(lines.contains("thumbnail_server_responses{from=\"memory\"} 2"))
            #expect(
                lines.contains("kingfisher_tier_reads{tier=\"redis\",result=\"unavailable.unreachable\"} 1"))
        }
    }

    @Test func `Without the option there are no metrics`() async throws {
        try await ServerUnderTest.run { server in
            let reply = try await server.get("/metrics")
            #expect(reply?.status == 404)
        }
    }

    @Test func `A password in the URL of the engine is refused`() async throws {
        await #expect(throws: RedisConfigurationError.passwordInURL) {
            try await ServerUnderTest.run(shared: "redis://user:secret@127.0.0.1") { _ in }
        }
    }
}

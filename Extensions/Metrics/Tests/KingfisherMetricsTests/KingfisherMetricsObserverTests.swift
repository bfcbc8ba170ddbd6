import Foundation
import Kingfisher
import KingfisherMetrics
import MetricsTestKit
import Testing

@Suite struct KingfisherMetricsObserverTests {
    private let metrics = TestMetrics()

    private func count(_ label: String, _ dimensions: [(String, String)] = []) throws -> Int64 {
        try metrics.expectCounter(label, dimensions).totalValue
    }

    private func report(_ events: KingfisherEvent...) {
        let observer = KingfisherMetricsObserver(factory: metrics)
        for event in events { observer.kingfisher(didReport: event) }
    }

    @Test func `Requests are counted and timed by their result`() throws {
        report(
            .requestFinished(source: "a", cacheType: .memory, duration: 0),
            .requestFinished(source: "b", cacheType: .memory, duration: 0),
            .requestFinished(source: "b", cacheType: .none, duration: 0.25))
        #expect(try count("kingfisher.requests", [("result", "memory")]) == 2)
        #expect(try count("kingfisher.requests", [("result", "source")]) == 1)
        let timer = try metrics.expectTimer("kingfisher.request.duration", [("result", "source")])
        #expect(timer.values == [250_000_000])
    }

    @Test func `Every outcome of a tier is a series`() throws {
        report(
            .tierHit(tier: "t", key: "k", bytes: 10, duration: 0.001),
            .tierStale(tier: "t", key: "k", bytes: 5, renews: false, duration: 0.001),
            .tierStale(tier: "t", key: "k", bytes: 5, renews: true, duration: 0.001),
            .tierMissed(tier: "t", key: "k", reason: "leased", duration: 0.001),
            .tierMissed(tier: "t", key: "k", reason: "deadline", duration: 0.25),
            .tierWritten(tier: "t", key: "k", bytes: 7, duration: 0.002),
            .tierWriteFailed(tier: "t", key: "k", reason: "dropped"))
        for result in ["hit", "stale", "renewing", "leased", "deadline"] {
            #expect(try count("kingfisher.tier.reads", [("tier", "t"), ("result", result)]) == 1)
        }
        #expect(try count("kingfisher.tier.read.bytes", [("tier", "t")]) == 20)
        for result in ["written", "dropped"] {
            #expect(try count("kingfisher.tier.writes", [("tier", "t"), ("result", result)]) == 1)
        }
        #expect(try count("kingfisher.tier.write.bytes", [("tier", "t")]) == 7)
    }

    @Test func `A node's gauge is 1 while its circuit breaker is open`() throws {
        func level() throws -> Double? {
            try metrics.expectGauge("kingfisher.tier.node.open", [("node", "n:1")]).lastValue
        }
        report(.tierNodeChanged(node: "n:1", state: "open"))
        #expect(try level() == 1)
        report(
            .tierNodeChanged(node: "n:1", state: "probing"), .tierNodeChanged(node: "n:1", state: "closed"))
        #expect(try level() == 0)
        #expect(try count("kingfisher.tier.node.changes", [("node", "n:1"), ("state", "closed")]) == 1)
    }

    @Test func `A negative or infinite duration is recorded within limits`() throws {
        report(
            .requestCancelled(source: "a", duration: -1), .requestCancelled(source: "a", duration: .infinity))
        let timer = try metrics.expectTimer("kingfisher.request.duration", [("result", "cancelled")])
        #expect(timer.values == [0, 1_000_000_000_000_000_000])
    }

    @Test func `No dimension has a key or a URL`() throws {
        let url = try #require(URL(string: "https://photos.example/1.jpg"))
        report(
            .downloadFinished(url: url, status: 200, bytes: 3, duration: 1),
            .stored(key: "https://photos.example/1.jpg", bytes: 3),
            .tierMissed(tier: "t", key: "https://photos.example/1.jpg", reason: "absent", duration: 0))
        let dimensions = metrics.counters.flatMap(\.dimensions) + metrics.timers.flatMap(\.dimensions)
        #expect(!dimensions.isEmpty && !dimensions.contains { $0.1.contains("photos.example") })
    }

    @Test func `The events of a failed request are counted`() async throws {
        let observer = KingfisherMetricsObserver(factory: metrics)
        KingfisherEvents.add(observer)
        defer { KingfisherEvents.remove(observer) }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let manager = KingfisherManager(
            downloader: .default, cache: try ImageCache(name: "metrics", cacheDirectoryURL: folder))
        _ = try? await manager.retrieveImage(
            with: .provider(RawImageDataProvider(data: Data([1, 2, 3]), cacheKey: "no image")))
        #expect(try count("kingfisher.requests", [("result", "failed")]) == 1)
        #expect(try count("kingfisher.processed", [("result", "failed")]) == 1)
    }
}

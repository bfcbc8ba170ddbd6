import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

struct TierEventTests {
    @Test("Events tell a hit, a stale entry with and without a lease, a lease, and the kind of an error")
    func events() async throws {
        struct Full: TierEngineError { let eventName = "full" }
        let tier = MemoryTier()
        let bench = try Bench()
        let key = TierKey(cacheKey: bench.url.cacheKey)
        let collector = EventCollector(of: bench.url)
        func read() async throws {
            let machine = try Bench(serving: try TestImages.png)
            machine.manager.downloader = bench.downloader
            machine.manager.tiers = [tier]
            _ = try await machine.retrieve(bench.url, []).get()
            try await machine.cache.settle()
        }
        tier.behaviour.givesLeases = true
        try await read()
        #expect(await poll { tier.entries[key] != nil && tier.leasedKeys.isEmpty })
        try await read()
        tier.staleKeys = [key]
        tier.lease(key)
        try await read()
        tier.behaviour.failure = .unavailable(Full())
        try await read()
        #expect(collector.tierMisses == ["leased", "unavailable.full"])
        #expect(collector.tierHits == ["hit", "stale"])
        #expect(await poll { collector.failedTierWrites == ["unavailable.full"] })
    }
}

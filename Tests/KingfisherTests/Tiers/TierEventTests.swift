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
        let observer = TierObserver(bench.url)
        KingfisherEvents.add(observer)
        defer { KingfisherEvents.remove(observer) }
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
        #expect(observer.misses.values == ["leased", "unavailable.full"])
        #expect(observer.hits.values == ["hit", "stale"])
        #expect(await poll { observer.failures.values == ["unavailable.full"] })
    }
}

/// Records the tier events of one URL.
final class TierObserver: KingfisherEventObserver {
    let hits = Inbox<String>()
    let misses = Inbox<String>()
    let failures = Inbox<String>()
    private let text: String

    init(_ url: URL) { text = url.eventText }

    func kingfisher(didReport event: KingfisherEvent) {
        guard event.subject.contains(text) else { return }
        switch event {
        case .tierHit: hits.put("hit")
        case .tierStale(_, _, _, let renews, _): hits.put(renews ? "renewing" : "stale")
        case .tierMissed(_, _, let reason, _): misses.put(reason)
        case .tierWriteFailed(_, _, let reason): failures.put(reason)
        default: break
        }
    }
}

import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// Failures that are written to tiers.
@Suite struct NegativeTierTests {
    private func rig(_ tiers: any CacheTier..., answer: StubAnswer = StubAnswer(status: 404)) throws
        -> AbsenceRig
    {
        let rig = try AbsenceRig(answer)
        rig.manager.tiers = tiers
        return rig
    }

    @Test("A 404 found by one machine ends the request of another without a download")
    func sharing() async throws {
        let tier = MemoryTier()
        let (one, other) = (try rig(tier), try rig(tier))
        _ = try await one.retrieve()
        let expiration = one.clock.now + 60
        #expect(
            await poll { tier.failures[one.key()] == TierFailure(statusCode: 404, expiration: expiration) })
        let result: AbsenceRig.Outcome = try await outcome {
            other.manager.retrieveImage(with: one.url, completionHandler: $0)
        }
        guard case .resourceError(.knownFailure(404, 60)) = result.failure else {
            Issue.record("\(result)")
            return
        }
        #expect(other.requests == 0 && tier.writes.isEmpty)
    }

    @Test("Bytes that are not an image are written without a status")
    func notAnImage() async throws {
        let tier = MemoryTier()
        let rig = try rig(tier, answer: .ok(TestImages.garbage))
        _ = try await rig.retrieve()
        #expect(await poll { tier.failures[rig.key()] != nil })
        #expect(tier.failures[rig.key()]?.statusCode == nil)
    }

    @Test("A 404 is also written for the original, to tiers that store originals")
    func originals() async throws {
        let (tier, images) = (MemoryTier(keepsOriginals: true), MemoryTier())
        let rig = try rig(tier, images)
        _ = try await rig.retrieve([.processor(CountingProcessor("p"))])
        #expect(await poll { tier.failures.count == 2 && images.failures.count == 1 })
        #expect(Set(tier.failures.keys) == [rig.key("p"), rig.key()])
        #expect(Set(images.failures.keys) == [rig.key("p")])
        rig.cache.clearMemoryCache()
        // The tier's failure of the original.
        #expect(try await rig.reasons(1, [.processor(CountingProcessor("q"))]) == ["knownFailure"])
        #expect(rig.requests == 1)
    }

    @Test("Bytes that are not an image do not end requests with another processor")
    func otherProcessor() async throws {
        let tier = MemoryTier(keepsOriginals: true)
        let rig = try rig(tier, answer: .ok(TestImages.garbage))
        _ = try await rig.retrieve()
        #expect(await poll { tier.failures[rig.key()] != nil })
        #expect(try await rig.reasons(1, [.processor(CountingProcessor("p"))]) == ["processingFailed"])
        #expect(tier.reads.contains(rig.key("p")) && rig.requests == 2)
    }

    @Test("Fifty concurrent requests write one failure, with the lease of the miss")
    func concurrency() async throws {
        let tier = MemoryTier.leasing
        let rig = try rig(tier)
        let joins = EventCollector("download.joined", of: rig.url)
        rig.stub.hold()
        let inbox = Inbox<Void>()
        for _ in 0..<50 {
            rig.manager.retrieveImage(with: rig.url, options: [.callbackQueue(.untouch)]) { _ in inbox.put() }
        }
        #expect(await poll { joins.events.count == 49 })
        rig.stub.release()
        _ = try await inbox.first(50)
        #expect(await poll { tier.failures[rig.key()] != nil && tier.leasedKeys.isEmpty })
        #expect(tier.negativeWrites == [rig.key()] && tier.releases.isEmpty && rig.requests == 1)
    }

    @Test("A tier without failures gets its lease back, and a failed write gives it back", arguments: 0..<3)
    func leases(_ number: Int) async throws {
        let memory = MemoryTier.leasing
        let isPlain = number == 0
        let rig = try rig(isPlain ? PlainTier(memory) : memory)
        if !isPlain {
            // After the read, so that the write fails.
            rig.stub.hold()
        }
        let inbox = Inbox<String?>()
        rig.manager.retrieveImage(with: rig.url) { inbox.put(reason($0)) }
        if !isPlain {
            #expect(await poll { rig.requests == 1 })
            memory.behaviour.failure = number == 1 ? .unavailable(CancellationError()) : .tooLarge(limit: 0)
            rig.stub.release()
        }
        #expect(try await inbox.first() == "invalidHTTPStatusCode")
        #expect(await poll { memory.releases == [rig.key()] && memory.leasedKeys.isEmpty })
        #expect(memory.failures.isEmpty && memory.negativeWrites.isEmpty == isPlain)
    }

    @Test("A request that finds the failure known releases its lease")
    func knownFailure() async throws {
        let memory = MemoryTier.leasing
        let rig = try rig(PlainTier(memory))
        #expect(try await rig.reasons(1) == ["invalidHTTPStatusCode"])
        #expect(await poll { memory.releases.count == 1 })
        #expect(try await rig.reasons(1) == ["knownFailure"])
        #expect(await poll { memory.releases.count == 2 && memory.leasedKeys.isEmpty })
        #expect(rig.requests == 1)
    }

    @Test("Other failures, the option off and cacheMemoryOnly write nothing", arguments: 0..<3)
    func nothingWritten(_ number: Int) async throws {
        let tier = MemoryTier.leasing
        let rig = try rig(tier, answer: StubAnswer(status: number == 0 ? 500 : 404))
        let options: [KingfisherOptionsInfo] = [[], [.negativeCaching(nil)], [.cacheMemoryOnly]]
        #expect(try await rig.reasons(1, options[number]) == ["invalidHTTPStatusCode"])
        #expect(await poll { tier.releases == [rig.key()] })
        #expect(tier.negativeWrites.isEmpty && tier.failures.isEmpty)
    }

    @Test("After the failure has expired, the source is loaded, and its image replaces the failure")
    func recovery() async throws {
        let tier = MemoryTier()
        let rig = try rig(tier)
        _ = try await rig.retrieve()
        #expect(await poll { tier.failures[rig.key()] != nil })
        rig.serve(.ok(try TestImages.png))
        rig.clock.advance(by: 60)
        #expect(try await rig.reasons(1) == ["image"])
        #expect(await poll { tier.entries[rig.key()] != nil })
        #expect(tier.failures.isEmpty)
    }

    @Test("A 404 of the renewal of a stale entry replaces the entry")
    func renewal() async throws {
        let tier = MemoryTier.leasing
        let rig = try rig(tier)
        tier.entries[rig.key()] = TierEntry(data: try TestImages.png)
        tier.staleKeys = [rig.key()]
        #expect(try await rig.reasons(1) == ["image"])
        #expect(await poll { tier.failures[rig.key()] != nil && tier.entries.isEmpty })
        #expect(tier.leasedKeys.isEmpty)
    }

    @Test("Failures that a tier does not accept in time are dropped like entries")
    func boundedQueue() async throws {
        let stuck = StuckQueue()
        let failure = TierFailure(statusCode: 404, expiration: .distantFuture)
        for number in 0..<400 { stuck.queue.write(failure, for: stuck.key(number), lease: nil) }
        #expect(await poll { !stuck.tier.negativeWrites.isEmpty })
        #expect((143...144).contains(stuck.dropped))
    }

    @Test("A failure written with a lost lease is refused")
    func lostLease() async throws {
        let tier = MemoryTier()
        let key = TierKey(cacheKey: "a")
        let failure = TierFailure(statusCode: 404, expiration: .distantFuture)
        tier.lease(key)
        let error = await #expect(throws: TierError.self) {
            try await tier.writeNegative(failure, for: key, lease: TierLease(token: "other"))
        }
        #expect(error?.name == "leaseLost" && tier.failures.isEmpty)
        try await tier.writeNegative(failure, for: key, lease: nil)
        guard case .negative(failure) = try await tier.read(key) else {
            Issue.record("expected the failure")
            return
        }
        try await tier.remove(key)
        #expect(tier.failures.isEmpty)
    }
}

/// A tier that does not implement `writeNegative`.
private struct PlainTier: CacheTier {
    let name = "plain"
    private let base: MemoryTier

    init(_ base: MemoryTier) { self.base = base }

    var deadlines: TierDeadlines { base.deadlines }

    func read(_ key: TierKey) async throws(TierError) -> TierReading { try await base.read(key) }

    func write(_ entry: TierEntry, for key: TierKey, lease: TierLease?) async throws(TierError) {
        try await base.write(entry, for: key, lease: lease)
    }

    func remove(_ key: TierKey) async throws(TierError) { try await base.remove(key) }

    func release(_ lease: TierLease, for key: TierKey) async { await base.release(lease, for: key) }
}

import Foundation
import Kingfisher
import Synchronization
import Testing

@testable import KingfisherSharedCache

/// The tier on an engine in memory. Two tiers are two machines.
struct RedisTierTests {
    private let engine = MemoryEngine()
    private let key = TierKey(cacheKey: "https://example.com/a.png", processorIdentifier: "p")
    private let file = Data("file".utf8)

    private func tier(_ change: (inout RedisTierOptions) -> Void = { _ in }) -> RedisTier {
        var options = RedisTierOptions()
        options.earlyRenewal = 0
        options.tagMemory = .zero
        change(&options)
        return RedisTier(client: engine, options: options, environment: environment)
    }

    private var environment: TierEnvironment {
        var environment = TierEnvironment()
        environment.now = { [engine] in engine.now }
        return environment
    }

    private func entry(_ tags: [String] = [], expiration: Date = .distantFuture) -> TierEntry {
        TierEntry(
            data: file, mediaType: "image/png", created: engine.now, expiration: expiration,
            validators: Data([1]), tags: tags)
    }

    private func name(_ reading: TierReading) -> String {
        switch reading {
        case .hit: "hit"
        case .stale(_, let renewal): renewal == nil ? "stale" : "stale, renewal"
        case .absent(let lease): lease == nil ? "absent" : "absent, lease"
        case .negative: "negative"
        case .busy: "busy"
        }
    }

    private func lease(_ tier: RedisTier) async throws -> TierLease {
        guard case .absent(let lease?) = try await tier.read(key) else { throw TierError.leaseLost }
        return lease
    }

    @Test("An entry is read on another machine as it was written")
    func roundTrip() async throws {
        let entry = entry(["a", "b"])
        try await tier().write(entry, for: key, lease: nil)
        guard case .hit(let found) = try await tier().read(key) else {
            Issue.record("expected a hit")
            return
        }
        #expect(found.data == entry.data && found.checksum == entry.checksum && found.isIntact)
        #expect(found.mediaType == entry.mediaType && found.created == entry.created)
        #expect(found.validators == entry.validators && found.tags == entry.tags)
        // The soft expiration, nine tenths of the lifetime.
        let lifetime = found.expiration.timeIntervalSince(engine.now)
        #expect(lifetime > 604_800 * 0.81 - 1 && lifetime <= 604_800 * 0.9 + 1)
    }

    @Test("One machine gets the lease, others are told to wait until it has written")
    func lease() async throws {
        let (first, second) = (tier(), tier())
        let lease = try await lease(first)
        #expect(name(try await second.read(key)) == "busy")
        try await first.write(entry(), for: key, lease: lease)
        #expect(name(try await second.read(key)) == "hit")
        #expect(engine.keys.count == 1)
    }

    @Test("An entry that another machine stores between the look at it and the lease is a hit")
    func storedBeforeLease() async throws {
        let (first, entry, key) = (tier(), entry(), key)
        let second = RedisTier(
            client: InterruptedClient(engine: engine) {
                guard case .absent(let lease?) = try await first.read(key) else { throw TierError.leaseLost }
                try await first.write(entry, for: key, lease: lease)
            }, options: RedisTierOptions(), environment: environment)
        #expect(name(try await second.read(key)) == "hit")
        #expect(engine.keys == [EntryNames(key, version: "").entry], "the lease is released")
    }

    @Test("A stale entry that another machine renews between the look at it and the lease is a hit")
    func renewedBeforeLease() async throws {
        let (first, entry, key) = (tier { $0.freshFraction = 0.5 }, entry(), key)
        try await first.write(self.entry(expiration: engine.now + 1000), for: key, lease: nil)
        // It is stale after 450 to 500 s, and gone after 900 to 1000.
        engine.advance(700)
        let second = RedisTier(
            client: InterruptedClient(engine: engine) {
                guard case .stale(_, let lease?) = try await first.read(key) else {
                    throw TierError.leaseLost
                }
                try await first.write(entry, for: key, lease: lease)
            }, options: RedisTierOptions(), environment: environment)
        let reading = try await second.read(key)
        #expect(name(reading) == "hit" && engine.keys.count == 1)
    }

    @Test("An error of the second look does not lose the lease")
    func failedSecondLook() async throws {
        let tier = RedisTier(
            client: InterruptedClient(engine: engine) { throw TierError.deadline },
            options: RedisTierOptions(), environment: environment)
        #expect(name(try await tier.read(key)) == "absent, lease")
    }

    @Test("A released lease goes to the next machine")
    func release() async throws {
        let (first, second) = (tier(), tier())
        let lease = try await lease(first)
        await first.release(TierLease(token: "other"), for: key)
        #expect(name(try await second.read(key)) == "busy")
        await first.release(lease, for: key)
        #expect(name(try await second.read(key)) == "absent, lease")
    }

    @Test("A write with a lease that another machine has by now is refused")
    func lostLease() async throws {
        let (first, second) = (tier(), tier())
        let lost = try await lease(first)
        engine.advance(31)
        let current = try await lease(second)
        await #expect(throws: TierError.self) { try await first.write(entry(), for: key, lease: lost) }
        await #expect(throws: TierError.self) {
            try await first.writeNegative(
                TierFailure(statusCode: 404, expiration: engine.now + 60), for: key, lease: lost)
        }
        #expect(name(try await first.read(key)) == "busy")
        try await second.write(entry(), for: key, lease: current)
        #expect(name(try await first.read(key)) == "hit")
    }

    @Test("A removal also refuses the write of a machine that is making the entry")
    func removal() async throws {
        let tier = tier()
        let lost = try await lease(tier)
        try await tier.remove(key)
        await #expect(throws: TierError.self) { try await tier.write(entry(), for: key, lease: lost) }
        try await tier.write(entry(), for: key, lease: nil)
        try await tier.remove(key)
        #expect(engine.keys.isEmpty)
    }

    @Test("After the soft expiration the entry is stale, and one machine may renew it")
    func stale() async throws {
        let (first, second) = (tier { $0.freshFraction = 0.5 }, tier { $0.freshFraction = 0.5 })
        try await first.write(entry(expiration: engine.now + 1000), for: key, lease: nil)
        // A lifetime of 900 to 1,000 s, of which half is fresh.
        engine.advance(449)
        #expect(name(try await first.read(key)) == "hit")
        engine.advance(100)
        guard case .stale(_, let renewal?) = try await first.read(key) else {
            Issue.record("expected a stale entry and its renewal")
            return
        }
        #expect(name(try await second.read(key)) == "stale")
        try await first.write(entry(), for: key, lease: renewal)
        #expect(name(try await second.read(key)) == "hit")
    }

    @Test("After its expiration an entry is absent, and an expired one is not written")
    func expired() async throws {
        let tier = tier()
        let lease = try await lease(tier)
        try await tier.write(entry(expiration: engine.now), for: key, lease: lease)
        #expect(engine.keys.isEmpty)
        try await tier.write(entry(expiration: engine.now + 10), for: key, lease: nil)
        // The engine's clock is late.
        engine.state.withLock { state in
            for key in state.values.keys { state.values[key]?.expiration = .distantFuture }
        }
        engine.advance(11)
        #expect(name(try await tier.read(key)) == "absent, lease")
    }

    @Test("A failure is negative until it expires, and then the key is absent")
    func negative() async throws {
        let tier = tier()
        let failure = TierFailure(statusCode: 404, expiration: engine.now + 60)
        try await tier.writeNegative(failure, for: key, lease: try await lease(tier))
        guard case .negative(let found) = try await tier.read(key) else {
            Issue.record("expected a failure")
            return
        }
        #expect(found.statusCode == 404)
        #expect((engine.now + 53.9...engine.now + 60.001).contains(found.expiration))
        engine.advance(61)
        #expect(name(try await tier.read(key)) == "absent, lease")
    }

    @Test("An invalidated tag invalidates entries that have it, and no others")
    func tags() async throws {
        let (first, second) = (tier(), tier())
        let other = TierKey(cacheKey: "other")
        try await first.write(entry(["a", "b"]), for: key, lease: nil)
        try await first.write(entry(["a"]), for: other, lease: nil)
        try await second.invalidate(tag: "b")
        #expect(name(try await first.read(key)) == "absent, lease")
        #expect(name(try await first.read(other)) == "hit")
        try await second.invalidate(tag: "never used")
        #expect(name(try await first.read(other)) == "hit")
    }

    @Test("Entries whose tag's generation was evicted are absent, also after the tag is used again")
    func evictedTag() async throws {
        let tier = tier()
        try await tier.write(entry(["a"]), for: key, lease: nil)
        engine.state.withLock { state in
            for key in state.values.keys where key.hasSuffix(":g") { state.values[key] = nil }
        }
        #expect(name(try await tier.read(key)) == "absent, lease")
        try await tier.write(entry(["a"]), for: TierKey(cacheKey: "other"), lease: nil)
        #expect(name(try await tier.read(key)) == "busy")
    }

    @Test("An entry that was being made when its tag was invalidated is not stored")
    func invalidatedMeanwhile() async throws {
        let (first, second) = (tier(), tier())
        let lost = try await lease(first)
        engine.advance(2)
        try await second.invalidate(tag: "a")
        engine.advance(2)
        await #expect(throws: TierError.self) {
            try await first.write(entry(["b", "a"]), for: key, lease: lost)
        }
        let next = try await lease(first)
        engine.advance(1)
        try await first.write(entry(["b", "a"]), for: key, lease: next)
        #expect(name(try await second.read(key)) == "hit")
    }

    @Test("An invalidation is noticed also if replies take long")
    func slowReplies() async throws {
        var environment = environment
        environment.instant = { [engine, start = ContinuousClock.now] in
            start + .seconds(engine.now.timeIntervalSince1970)
        }
        var options = RedisTierOptions()
        options.tagMemory = .zero
        let tier = RedisTier(
            client: SlowClient(engine: engine), options: options, environment: environment)
        let lost = try await lease(tier)
        try await tier.invalidate(tag: "a")
        await #expect(throws: TierError.self) {
            try await tier.write(entry(["a"]), for: key, lease: lost)
        }
        let next = try await lease(tier)
        try await tier.write(entry(["a"]), for: key, lease: next)
        #expect(name(try await tier.read(key)) == "hit")
    }

    @Test("Without a lease, an entry is stored when the longest lease since an invalidation has ended")
    func invalidatedWithoutLease() async throws {
        let tier = tier()
        try await tier.invalidate(tag: "a")
        engine.advance(29)
        await #expect(throws: TierError.self) { try await tier.write(entry(["a"]), for: key, lease: nil) }
        try await tier.write(entry(["b"]), for: key, lease: nil)
        engine.advance(2)
        try await tier.write(entry(["a"]), for: key, lease: nil)
        #expect(name(try await tier.read(key)) == "hit")
    }

    @Test("A version has its own entries")
    func version() async throws {
        try await tier().write(entry(), for: key, lease: nil)
        #expect(name(try await tier { $0.version = "2" }.read(key)) == "absent, lease")
        #expect(name(try await tier().read(key)) == "hit")
    }

    @Test(
        "A poisoned value is removed and counts as absent",
        arguments: [
            RESPValue.bytes(Data("poison".utf8)), .bytes(Data()), .array([]), .oversized(bytes: 1 << 30),
            .integer(1), .text("x"),
        ])
    func poisoned(_ value: RESPValue) async throws {
        let tier = tier()
        let name = EntryNames(key, version: "").entry
        engine.set(name, value)
        let lease = try await lease(tier)
        #expect(!engine.keys.contains(name))
        try await tier.write(entry(), for: key, lease: lease)
        #expect(self.name(try await tier.read(key)) == "hit")
    }

    @Test("A file above the limit is refused, and its lease is released")
    func tooLarge() async throws {
        let tier = tier { $0.maximumBytes = 3 }
        let lease = try await lease(tier)
        await #expect(throws: TierError.self) { try await tier.write(entry(), for: key, lease: lease) }
        #expect(name(try await tier.read(key)) == "absent, lease")
    }

    @Test("An error of the engine is an error of each operation")
    func errors() async throws {
        let tier = tier()
        engine.fail(.circuitOpen)
        await #expect(throws: TierError.self) { _ = try await tier.read(key) }
        await #expect(throws: TierError.self) { try await tier.write(entry(), for: key, lease: nil) }
        await #expect(throws: TierError.self) { try await tier.remove(key) }
        await #expect(throws: TierError.self) { try await tier.invalidate(tag: "a") }
        await tier.release(TierLease(token: "x"), for: key)
    }

    @Test("A hit takes one command, and a script is sent once")
    func commands() async throws {
        let tier = tier()
        try await tier.write(entry(), for: key, lease: try await lease(tier))
        #expect(engine.names == ["GET", "SET", "GET", "EVALSHA", "EVAL"])
        _ = try await tier.read(key)
        await tier.release(TierLease(token: "x"), for: key)
        await tier.release(TierLease(token: "x"), for: key)
        #expect(engine.names.dropFirst(5) == ["GET", "EVALSHA", "EVAL", "EVALSHA"])
    }

    @Test("The time to make an entry is measured from its lease")
    func buildTime() async throws {
        let tier = tier()
        let lease = try await lease(tier)
        engine.advance(2)
        try await tier.write(entry(), for: key, lease: lease)
        let name = EntryNames(key, version: "").entry
        guard case .bytes(let stored)? = engine.state.withLock({ $0.values[name]?.value }) else {
            Issue.record("expected a stored value")
            return
        }
        #expect(TierEnvelope(stored, for: name)?.buildTime == .seconds(2))
        #expect(LeaseToken.age(of: TierLease(token: "x"), at: engine.now) == .zero)
    }
}

/// Each reply takes 0.2 seconds of the engine's clock.
private struct SlowClient: RedisClient {
    let engine: MemoryEngine

    func send(_ command: RedisCommand) async throws(RedisError) -> RESPValue {
        let reply = try await engine.send(command)
        engine.advance(0.2)
        return reply
    }
}

/// Runs `interruption` once, before the first lease. If that throws, the next command also fails.
private final class InterruptedClient: RedisClient {
    private let engine: MemoryEngine
    private let interruption: @Sendable () async throws -> Void
    private let state = Mutex((isInterrupted: false, fails: false))

    init(engine: MemoryEngine, _ interruption: @escaping @Sendable () async throws -> Void) {
        (self.engine, self.interruption) = (engine, interruption)
    }

    func send(_ command: RedisCommand) async throws(RedisError) -> RESPValue {
        let fails = state.withLock { state in
            defer { state.fails = false }
            return state.fails
        }
        if fails { throw .timedOut }
        let isFirst = state.withLock { state in
            guard command.name == "SET", !state.isInterrupted else { return false }
            state.isInterrupted = true
            return true
        }
        if isFirst {
            do {
                try await interruption()
            } catch {
                state.withLock { $0.fails = true }
            }
        }
        return try await engine.send(command)
    }
}

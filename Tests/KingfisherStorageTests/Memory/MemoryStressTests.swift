import Dispatch
import Foundation
import KingfisherTestSupport
import Synchronization
import Testing

@testable import KingfisherStorage

/// The invariants of a cache under eight concurrent threads, for every policy: two seconds, and half a minute
/// with `KINGFISHER_SOAK`.
struct MemoryStressTests {
    private static let seconds: TimeInterval =
        ProcessInfo.processInfo.environment["KINGFISHER_SOAK"] == nil ? 2 : 30

    @Test(.timeLimit(.minutes(5)), arguments: AnyEvictionPolicy.Kind.allCases)
    func invariantsHoldUnderConcurrency(kind: AnyEvictionPolicy.Kind) { stress(AnyEvictionPolicy(kind)) }

    private func stress<Policy: EvictionPolicy>(_ policy: Policy) {
        let world = StressWorld(policy: policy)
        let end = DispatchTime.now() + Self.seconds
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            var random = SeededGenerator(seed: UInt64(thread))
            var steps = 0
            repeat {
                for _ in 0..<200 { world.step(thread, &random) }
                steps += 200
            } while DispatchTime.now() < end
            #expect(steps > 0)
        }
        world.settle()
    }
}

/// The cache and the expected values.
///
/// Each thread writes a separate set of keys and knows their values: its read of one finds the value that it
/// stored last, or nothing. All threads write and read the shared keys, whose reads find any value that was
/// stored under that key. A read of another thread's key finds its values in the order in which they were
/// stored.
private final class StressWorld<Policy: EvictionPolicy>: Sendable {
    /// Counts its instances, and calls the cache in `deinit`, which hangs if the lock is held.
    final class Item: Sendable {
        let key: String
        let version: Int
        let cost: Int
        private let world: StressWorld

        init(_ key: String, version: Int, cost: Int, _ world: StressWorld) {
            (self.key, self.version, self.cost, self.world) = (key, version, cost, world)
            world.living.wrappingAdd(1, ordering: .relaxed)
        }

        deinit {
            world.living.wrappingSubtract(1, ordering: .relaxed)
            if version % 16 == 0 { _ = world.engine.isCached(key) }
        }
    }

    /// What a thread expects of its keys: the version that it stored last, and the versions it has seen.
    final class Own: Sendable {
        let state = Mutex(Versions())
    }

    struct Versions {
        var version: [String: Int] = [:]
        var newest = 0
        var seen: [String: Int] = [:]
    }

    static var costLimit: Int { 3_000 }
    static var countLimit: Int { 200 }
    static var entryShare: Double { 0.05 }
    static var largestEntry: Int { 150 }

    let engine: MemoryEngine<Item, Policy>
    let living = Atomic<Int>(0)
    private let hits = Atomic<Int>(0)
    private let emptyPolicy: Policy
    private let clock = ManualClock()
    private let own = (0..<8).map { _ in Own() }

    init(policy: Policy) {
        emptyPolicy = policy
        engine = MemoryEngine(
            limits: MemoryLimits(cost: Self.costLimit, count: Self.countLimit, entryShare: Self.entryShare),
            sweepInterval: 0.01, policy: policy, expiration: .seconds(40), clock: clock)
    }

    func step(_ thread: Int, _ random: inout SeededGenerator) {
        let key = "thread \(thread) key \(Int.random(in: 0..<60, using: &random))"
        switch Int.random(in: 0..<1_000, using: &random) {
        case 0..<300: store(key, thread, &random)
        case 300..<600: read(key, thread)
        case 600..<700: readAnother(thread, &random)
        case 700..<800: useShared(&random)
        case 800..<900:
            engine.remove(key)
            own[thread].state.withLock { $0.version[key] = nil }
            #expect(engine.value(for: key) == nil)
        case 900..<950: checkExpired(key, thread)
        case 950..<970: clock.advance(by: 1)
        case 970..<980: engine.removeExpired()
        case 980..<990: engine.trim(toCost: Int.random(in: 0...Self.costLimit, using: &random))
        case 990..<996:
            // Never above the initial limits, which are checked after every step.
            let share = Double.random(in: 0.01...1, using: &random)
            engine.configure(
                limits: MemoryLimits(
                    cost: Int(Double(Self.costLimit) * share), count: Int(Double(Self.countLimit) * share),
                    entryShare: Self.entryShare))
        case 996..<998: engine.configure(policy: emptyPolicy)
        default: engine.removeAll()
        }
        #expect(engine.totalCost <= Self.costLimit)
        #expect(engine.count <= Self.countLimit)
    }

    private func store(_ key: String, _ thread: Int, _ random: inout SeededGenerator) {
        let version = own[thread].state.withLock { own in
            own.newest += 1
            own.version[key] = own.newest
            return own.newest
        }
        let item = Item(key, version: version, cost: Int.random(in: 0...200, using: &random), self)
        let lifetimes: [StorageExpiration?] = [nil, .never, .seconds(5), .date(clock.now + 10)]
        let lifetime = lifetimes.randomElement(using: &random) ?? nil
        engine.store(item, cost: item.cost, for: key, expiration: lifetime)
        // If another thread advances the clock past the date, nothing is stored and the old value stays.
        if case .date(let moment) = lifetime, moment <= clock.now { return engine.remove(key) }
        if item.cost > Self.largestEntry { #expect(engine.value(for: key) == nil) }
    }

    private func read(_ key: String, _ thread: Int) {
        guard let item = engine.value(for: key) else { return }
        #expect(item.key == key)
        #expect(item.cost <= Self.largestEntry)
        #expect(item.version == own[thread].state.withLock { $0.version[key] })
        hits.wrappingAdd(1, ordering: .relaxed)
    }

    private func readAnother(_ thread: Int, _ random: inout SeededGenerator) {
        let other = Int.random(in: 0..<8, using: &random)
        let key = "thread \(other) key \(Int.random(in: 0..<60, using: &random))"
        guard let item = engine.value(for: key, extending: .none) else { return }
        #expect(item.key == key)
        own[thread].state.withLock { own in
            #expect(item.version >= own.seen[key] ?? 0)
            own.seen[key] = item.version
        }
    }

    private func useShared(_ random: inout SeededGenerator) {
        let key = "shared \(Int.random(in: 0..<20, using: &random))"
        if Bool.random(using: &random) {
            let item = Item(key, version: 0, cost: Int.random(in: 0...100, using: &random), self)
            engine.store(item, cost: item.cost, for: key)
        } else if let item = engine.value(for: key) {
            #expect(item.key == key)
        }
    }

    /// An entry that has expired by this thread's clock is not found, because only this thread stores it.
    private func checkExpired(_ key: String, _ thread: Int) {
        let before = clock.now
        guard let end = engine.expiration(of: key), end <= before else { return }
        #expect(!engine.isCached(key))
        #expect(engine.value(for: key) == nil)
    }

    /// Once the threads have ended, counters, costs and instances must be exact.
    func settle() {
        var (cost, count) = (0, 0)
        let keys =
            (0..<8).flatMap { thread in (0..<60).map { "thread \(thread) key \($0)" } }
            + (0..<20).map { "shared \($0)" }
        engine.removeExpired()
        for key in keys {
            guard let item = engine.value(for: key, extending: .none) else { continue }
            cost += item.cost
            count += 1
        }
        #expect(engine.totalCost == cost)
        #expect(engine.count == count)
        // A sweep may still be releasing what it has removed.
        let deadline = DispatchTime.now() + 5
        while living.load(ordering: .relaxed) != count, DispatchTime.now() < deadline {
            Thread.sleep(forTimeInterval: 0.001)
        }
        #expect(living.load(ordering: .relaxed) == count)
        // A cache that stores nothing would pass all checks above.
        #expect(hits.load(ordering: .relaxed) > 0)
        engine.configure(limits: MemoryLimits(cost: Self.costLimit, count: Self.countLimit))
        engine.removeAll()
        for key in keys.prefix(Self.countLimit) {
            engine.store(Item(key, version: 0, cost: 1, self), cost: 1, for: key, expiration: .never)
        }
        for key in keys.prefix(Self.countLimit) { #expect(engine.value(for: key)?.key == key) }
        for key in keys { engine.remove(key) }
        #expect(engine.totalCost == 0)
        #expect(engine.count == 0)
        #expect(living.load(ordering: .relaxed) == 0)
    }
}

import Foundation
import Synchronization
import KingfisherTestSupport
import Testing

@testable import KingfisherStorage

typealias LRUEngine<Value: Sendable> = MemoryEngine<Value, LeastRecentlyUsed>

struct MemoryEngineTests {
    private let clock = ManualClock()

    private func engine(cost: Int = 0, count: Int = 0) -> LRUEngine<Int> {
        LRUEngine(
            limits: MemoryLimits(cost: cost, count: count), sweepInterval: 0, policy: LeastRecentlyUsed(),
            clock: clock)
    }

    private func fill(_ engine: LRUEngine<Int>, _ range: Range<Int>, cost: Int = 1) {
        for number in range { engine.store(number, cost: cost, for: "\(number)", expiration: .seconds(10)) }
    }

    private func kept(_ engine: LRUEngine<Int>, of range: Range<Int>) -> [Int] {
        range.filter { engine.isCached("\($0)") }
    }

    // MARK: Limits

    @Test func newestStayWhenCostRunsOut() {
        let engine = engine(cost: 3)
        fill(engine, 0..<5)
        #expect(kept(engine, of: 0..<5) == [2, 3, 4])
        #expect(engine.totalCost == 3)
    }

    @Test func trimmingTakesTheLeastRecentlyUsedAndLeavesTheLimitAsItIs() {
        let engine = engine(cost: 10)
        fill(engine, 0..<5, cost: 2)
        #expect(engine.value(for: "0") == 0)
        engine.trim(toCost: 5)
        #expect(kept(engine, of: 0..<5) == [0, 4])
        #expect(engine.totalCost == 4)
        engine.trim(toCost: 4)
        #expect(engine.count == 2)
        fill(engine, 5..<8, cost: 2)
        #expect(engine.totalCost == 10)
        engine.trim(toCost: -1)
        #expect(engine.count == 0)
    }

    @Test func trimmingReleasesOutsideTheLock() {
        final class Asking: Sendable {
            let ask: @Sendable () -> Void
            init(_ ask: @escaping @Sendable () -> Void) { self.ask = ask }
            deinit { ask() }
        }
        let engine = LRUEngine<Asking>(
            limits: MemoryLimits(cost: 0), sweepInterval: 0, policy: LeastRecentlyUsed(), clock: clock)
        let counts = Mutex<[Int]>([])
        for key in ["a", "b"] {
            let value = Asking { [weak engine] in
                let count = engine?.count ?? -1
                counts.withLock { $0.append(count) }
            }
            engine.store(value, cost: 1, for: key, expiration: .never)
        }
        engine.trim(toCost: 0)
        #expect(counts.withLock { $0 } == [0, 0])
    }

    @Test func readingProtects() {
        let engine = engine(cost: 3)
        fill(engine, 0..<3)
        #expect(engine.value(for: "0") == 0)
        fill(engine, 3..<4)
        #expect(kept(engine, of: 0..<4) == [0, 2, 3])
    }

    @Test func lookingDoesNotProtect() {
        let engine = engine(cost: 3)
        fill(engine, 0..<3)
        #expect(engine.isCached("0"))
        fill(engine, 3..<4)
        #expect(kept(engine, of: 0..<4) == [1, 2, 3])
    }

    @Test func countLimit() {
        let engine = engine(count: 2)
        fill(engine, 0..<4, cost: 1_000)
        #expect(kept(engine, of: 0..<4) == [2, 3])
    }

    @Test func loweredLimitsActAtOnce() {
        let engine = engine()
        fill(engine, 0..<10)
        engine.setLimits(MemoryLimits(cost: 0, count: 4))
        #expect(kept(engine, of: 0..<10) == [6, 7, 8, 9])
        engine.setLimits(MemoryLimits(cost: 2, count: 4))
        #expect(kept(engine, of: 0..<10) == [8, 9])
        #expect(engine.totalCost == 2)
    }

    @Test func tooBigIsRefusedAndDrivesNobodyOut() {
        let engine = engine(cost: 3)
        fill(engine, 0..<3)
        engine.store(9, cost: 4, for: "9", expiration: .never)
        #expect(kept(engine, of: 0..<10) == [0, 1, 2])
        // But it outdates what its own key held.
        engine.store(9, cost: 4, for: "1", expiration: .never)
        #expect(kept(engine, of: 0..<10) == [0, 2])
        #expect(engine.totalCost == 2)
    }

    @Test func extremeCosts() {
        let engine = engine()
        engine.store(1, cost: .max, for: "max", expiration: .never)
        engine.store(2, cost: .max, for: "another", expiration: .never)
        #expect(engine.totalCost == .max)
        #expect(!engine.isCached("max"))
        engine.store(3, cost: -5, for: "negative", expiration: .never)
        #expect(engine.totalCost == .max)
        engine.removeAll()
        #expect(engine.totalCost == 0)
    }

    @Test func replacingCountsOnce() {
        let engine = engine(cost: 10)
        engine.store(1, cost: 4, for: "key", expiration: .never)
        engine.store(2, cost: 7, for: "key", expiration: .never)
        #expect(engine.value(for: "key") == 2)
        #expect(engine.totalCost == 7)
        #expect(engine.count == 1)
    }

    @Test func removing() {
        let engine = engine()
        fill(engine, 0..<3)
        engine.remove("1")
        engine.remove("absent")
        #expect(kept(engine, of: 0..<3) == [0, 2])
        engine.removeAll()
        #expect(kept(engine, of: 0..<3).isEmpty)
        #expect(engine.totalCost == 0)
        fill(engine, 0..<3)
        #expect(engine.totalCost == 3)
    }

    // MARK: Expiration

    @Test func expiredIsInvisibleButCounts() {
        let engine = engine()
        engine.store(1, cost: 5, for: "a", expiration: .seconds(1))
        engine.store(2, cost: 7, for: "b", expiration: .seconds(9))
        clock.advance(by: 1)
        #expect(engine.value(for: "a") == nil)
        #expect(!engine.isCached("a"))
        #expect(engine.totalCost == 12)
        engine.removeExpired()
        #expect(engine.totalCost == 7)
        #expect(engine.count == 1)
        #expect(engine.value(for: "b") == 2)
    }

    @Test func readingExtendsByTheOriginalLifetime() {
        let engine = engine()
        engine.store(1, cost: 1, for: "a", expiration: .seconds(2))
        clock.advance(by: 1.5)
        #expect(engine.value(for: "a") == 1)
        clock.advance(by: 1.5)
        #expect(engine.value(for: "a") == 1)
        clock.advance(by: 2)
        #expect(engine.value(for: "a") == nil)
    }

    @Test func extendingNone() {
        let engine = engine()
        engine.store(1, cost: 1, for: "a", expiration: .seconds(2))
        let before = engine.expiration(of: "a")
        clock.advance(by: 1)
        #expect(engine.value(for: "a", extending: .none) == 1)
        #expect(engine.expiration(of: "a") == before)
    }

    @Test func extendingByAnotherLifetime() {
        let engine = engine()
        engine.store(1, cost: 1, for: "a", expiration: .seconds(2))
        clock.advance(by: 1)
        #expect(engine.value(for: "a", extending: .expirationTime(.seconds(5))) == 1)
        #expect(engine.expiration(of: "a") == clock.now + 5)
        // The next access by default goes back to the lifetime of the store.
        #expect(engine.value(for: "a") == 1)
        #expect(engine.expiration(of: "a") == clock.now + 2)
    }

    @Test func lookingDoesNotExtend() {
        let engine = engine()
        engine.store(1, cost: 1, for: "a", expiration: .seconds(2))
        clock.advance(by: 1)
        #expect(engine.isCached("a"))
        #expect(engine.expiration(of: "a") == clock.now + 1)
    }

    @Test func storingExpiredStoresNothing() {
        let engine = engine()
        engine.store(1, cost: 1, for: "a", expiration: .expired)
        engine.store(1, cost: 1, for: "b", expiration: .date(clock.now))
        #expect(engine.count == 0)
        engine.store(1, cost: 1, for: "c", expiration: .never)
        clock.advance(by: 1e9)
        #expect(engine.value(for: "c") == 1)
    }

    // MARK: Release

    private final class Reentrant: Sendable {
        private let action: @Sendable () -> Void
        init(_ action: @escaping @Sendable () -> Void) { self.action = action }
        deinit { action() }
    }

    /// A value that uses the cache while it dies would wait for ever if it were released under the lock.
    @Test(.timeLimit(.minutes(1))) func valuesDieOutsideTheLock() {
        let engine = LRUEngine<Reentrant>(
            limits: MemoryLimits(cost: 2), sweepInterval: 0, policy: LeastRecentlyUsed(), clock: clock)
        let deaths = Mutex(0)
        func store(_ key: String, cost: Int = 1) {
            let value = Reentrant { [weak engine] in
                _ = engine?.totalCost
                deaths.withLock { $0 += 1 }
            }
            engine.store(value, cost: cost, for: key, expiration: .seconds(1))
        }
        store("a")
        store("a")
        #expect(deaths.withLock { $0 } == 1)
        store("b", cost: 2)
        #expect(deaths.withLock { $0 } == 2)
        engine.remove("b")
        #expect(deaths.withLock { $0 } == 3)
        store("c")
        clock.advance(by: 2)
        engine.removeExpired()
        #expect(deaths.withLock { $0 } == 4)
        store("d")
        store("e")
        engine.setLimits(MemoryLimits(cost: 1))
        #expect(deaths.withLock { $0 } == 5)
        engine.removeAll()
        #expect(deaths.withLock { $0 } == 6)
        store("too big", cost: 9)
        #expect(deaths.withLock { $0 } == 7)
    }
}

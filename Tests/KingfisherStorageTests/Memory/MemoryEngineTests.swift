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

    private func cached(_ engine: LRUEngine<Int>, of range: Range<Int>) -> [Int] {
        range.filter { engine.isCached("\($0)") }
    }

    // MARK: Limits

    @Test func newestStayWhenCostRunsOut() {
        let engine = engine(cost: 3)
        fill(engine, 0..<5)
        #expect(cached(engine, of: 0..<5) == [2, 3, 4])
        #expect(engine.totalCost == 3)
    }

    @Test func trimmingEvictsTheLeastRecentlyUsedAndKeepsTheLimit() {
        let engine = engine(cost: 10)
        fill(engine, 0..<5, cost: 2)
        #expect(engine.value(for: "0") == 0)
        engine.trim(toCost: 5)
        #expect(cached(engine, of: 0..<5) == [0, 4])
        #expect(engine.totalCost == 4)
        engine.trim(toCost: 4)
        #expect(engine.count == 2)
        fill(engine, 5..<8, cost: 2)
        #expect(engine.totalCost == 10)
        engine.trim(toCost: -1)
        #expect(engine.count == 0)
    }

    @Test func trimmingReleasesOutsideTheLock() {
        final class CallingOnRelease: Sendable {
            let action: @Sendable () -> Void
            init(_ action: @escaping @Sendable () -> Void) { self.action = action }
            deinit { action() }
        }
        let engine = LRUEngine<CallingOnRelease>(
            limits: MemoryLimits(cost: 0), sweepInterval: 0, policy: LeastRecentlyUsed(), clock: clock)
        let counts = Mutex<[Int]>([])
        for key in ["a", "b"] {
            let value = CallingOnRelease { [weak engine] in
                let count = engine?.count ?? -1
                counts.withLock { $0.append(count) }
            }
            engine.store(value, cost: 1, for: key, expiration: .never)
        }
        engine.trim(toCost: 0)
        #expect(counts.withLock { $0 } == [0, 0])
    }

    @Test func readingProtectsFromEviction() {
        let engine = engine(cost: 3)
        fill(engine, 0..<3)
        #expect(engine.value(for: "0") == 0)
        fill(engine, 3..<4)
        #expect(cached(engine, of: 0..<4) == [0, 2, 3])
    }

    @Test func isCachedDoesNotProtectFromEviction() {
        let engine = engine(cost: 3)
        fill(engine, 0..<3)
        #expect(engine.isCached("0"))
        fill(engine, 3..<4)
        #expect(cached(engine, of: 0..<4) == [1, 2, 3])
    }

    @Test func countLimitEvictsTheOldest() {
        let engine = engine(count: 2)
        fill(engine, 0..<4, cost: 1_000)
        #expect(cached(engine, of: 0..<4) == [2, 3])
    }

    @Test func loweredLimitsEvictImmediately() {
        let engine = engine()
        fill(engine, 0..<10)
        engine.configure(limits: MemoryLimits(cost: 0, count: 4))
        #expect(cached(engine, of: 0..<10) == [6, 7, 8, 9])
        engine.configure(limits: MemoryLimits(cost: 2, count: 4))
        #expect(cached(engine, of: 0..<10) == [8, 9])
        #expect(engine.totalCost == 2)
    }

    @Test func tooBigValueIsRefusedAndEvictsNoOther() {
        let engine = engine(cost: 3)
        fill(engine, 0..<3)
        engine.store(9, cost: 4, for: "9", expiration: .never)
        #expect(cached(engine, of: 0..<10) == [0, 1, 2])
        // But it removes the older value of its key.
        engine.store(9, cost: 4, for: "1", expiration: .never)
        #expect(cached(engine, of: 0..<10) == [0, 2])
        #expect(engine.totalCost == 2)
    }

    @Test func extremeCostsAreClamped() {
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

    @Test func entryAboveItsShareIsRefused() {
        let engine = LRUEngine<Int>(
            limits: MemoryLimits(cost: 100, entryShare: 0.25), sweepInterval: 0, policy: LeastRecentlyUsed(),
            clock: clock)
        fill(engine, 0..<4, cost: 25)
        engine.store(9, cost: 26, for: "9", expiration: .never)
        #expect(cached(engine, of: 0..<10) == [0, 1, 2, 3])
        engine.store(1, cost: 26, for: "1", expiration: .never)
        #expect(cached(engine, of: 0..<10) == [0, 2, 3])
        // A lower share acts immediately. So does a lower cost limit, because the share is relative to it.
        engine.store(4, cost: 20, for: "4", expiration: .never)
        engine.configure(limits: MemoryLimits(cost: 100, entryShare: 0.2))
        #expect(cached(engine, of: 0..<10) == [4])
        engine.configure(limits: MemoryLimits(cost: 99, entryShare: 0.2))
        #expect(engine.count == 0)
    }

    @Test(
        arguments: [
            (100, nil, 100), (100, 0.25, 25), (10, 0.25, 2), (100, 1, 100), (100, 7, 100), (100, 0, 0),
            (100, -1, 0), (100, Double.nan, 100), (0, 0.1, .max),
            (.max - 1, 1.0.nextDown, .max - 1023),
        ] as [(Int, Double?, Int)])
    func entryShareSetsTheEntryCost(cost: Int, share: Double?, entryCost: Int) {
        #expect(MemoryLimits(cost: cost, entryShare: share).effectiveEntryCost == entryCost)
    }

    @Test func lowerLimitRemovesTooBigEntriesBeforeOldOnes() {
        let engine = engine(cost: 100)
        fill(engine, 0..<3, cost: 10)
        engine.store(3, cost: 60, for: "3", expiration: .never)
        engine.configure(limits: MemoryLimits(cost: 50))
        #expect(cached(engine, of: 0..<4) == [0, 1, 2])
    }

    @Test func newPolicyTakesOverTheOrder() {
        let engine = engine(cost: 5)
        fill(engine, 0..<5)
        #expect(engine.value(for: "1") == 1)
        engine.configure(policy: LeastRecentlyUsed())
        // Oldest first: 0, 2, 3, 4, 1.
        fill(engine, 5..<8)
        #expect(cached(engine, of: 0..<8) == [1, 4, 5, 6, 7])
    }

    @Test func keysAreComparedByTheirBytes() {
        let engine = engine()
        engine.store(1, cost: 1, for: "caf\u{e9}", expiration: .never)
        #expect(engine.value(for: "cafe\u{301}") == nil)
        engine.store(2, cost: 1, for: "cafe\u{301}", expiration: .never)
        #expect(engine.value(for: "caf\u{e9}") == 1)
        for key in ["", "a", "fifteen bytes..", "sixteen bytes...", String(repeating: "long ", count: 100)] {
            engine.store(key.utf8.count, cost: 1, for: key, expiration: .never)
            let copy = String(decoding: Array(key.utf8), as: UTF8.self)
            #expect(engine.value(for: copy) == key.utf8.count)
        }
        #expect(engine.count == 7)
    }

    @Test func replacedValueIsCountedOnce() {
        let engine = engine(cost: 10)
        engine.store(1, cost: 4, for: "key", expiration: .never)
        engine.store(2, cost: 7, for: "key", expiration: .never)
        #expect(engine.value(for: "key") == 2)
        #expect(engine.totalCost == 7)
        #expect(engine.count == 1)
    }

    @Test func removingReducesTheCost() {
        let engine = engine()
        fill(engine, 0..<3)
        engine.remove("1")
        engine.remove("absent")
        #expect(cached(engine, of: 0..<3) == [0, 2])
        engine.removeAll()
        #expect(cached(engine, of: 0..<3).isEmpty)
        #expect(engine.totalCost == 0)
        fill(engine, 0..<3)
        #expect(engine.totalCost == 3)
    }

    // MARK: Expiration

    @Test func expiredEntryIsNotFoundButCounted() {
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

    @Test func readingWithoutExtensionKeepsTheExpiration() {
        let engine = engine()
        engine.store(1, cost: 1, for: "a", expiration: .seconds(2))
        let before = engine.expiration(of: "a")
        clock.advance(by: 1)
        #expect(engine.value(for: "a", extending: .none) == 1)
        #expect(engine.expiration(of: "a") == before)
    }

    @Test func readingExtendsByAnotherLifetimeOnce() {
        let engine = engine()
        engine.store(1, cost: 1, for: "a", expiration: .seconds(2))
        clock.advance(by: 1)
        #expect(engine.value(for: "a", extending: .expirationTime(.seconds(5))) == 1)
        #expect(engine.expiration(of: "a") == clock.now + 5)
        // The next default access uses the lifetime of the store again.
        #expect(engine.value(for: "a") == 1)
        #expect(engine.expiration(of: "a") == clock.now + 2)
    }

    @Test func isCachedDoesNotExtend() {
        let engine = engine()
        engine.store(1, cost: 1, for: "a", expiration: .seconds(2))
        clock.advance(by: 1)
        #expect(engine.isCached("a"))
        #expect(engine.expiration(of: "a") == clock.now + 1)
    }

    @Test func storeWithoutLifetimeUsesTheCachesLifetime() {
        let engine = LRUEngine<Int>(
            limits: MemoryLimits(cost: 0), sweepInterval: 0, policy: LeastRecentlyUsed(),
            expiration: .seconds(3), clock: clock)
        engine.store(1, cost: 1, for: "a")
        #expect(engine.expiration(of: "a") == clock.now + 3)
        engine.configure(expiration: .days(1))
        engine.store(2, cost: 1, for: "b")
        #expect(engine.expiration(of: "a") == clock.now + 3)
        #expect(engine.expiration(of: "b") == clock.now + 86_400)
        engine.configure(expiration: .expired)
        engine.store(3, cost: 1, for: "a")
        #expect(engine.value(for: "a") == 1)
    }

    @Test func readingDoesNotExtendADate() {
        let engine = engine()
        let end = clock.now + 5
        engine.store(1, cost: 1, for: "a", expiration: .date(end))
        clock.advance(by: 4)
        #expect(engine.value(for: "a") == 1)
        #expect(engine.expiration(of: "a") == end)
        engine.store(2, cost: 1, for: "b", expiration: .never)
        #expect(engine.expiration(of: "b") == .distantFuture)
    }

    @Test func entryWithNaNLifetimeIsSwept() {
        let engine = engine()
        engine.store(1, cost: 1, for: "a", expiration: .never)
        #expect(engine.value(for: "a", extending: .expirationTime(.seconds(.nan))) == 1)
        #expect(engine.value(for: "a") == nil)
        engine.removeExpired()
        #expect(engine.count == 0)
    }

    @Test func storingAnExpiredValueStoresNothing() {
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

    /// An engine whose values use it when they are released.
    private final class ReentrantRig: Sendable {
        let engine: LRUEngine<Reentrant>
        private let releases = Mutex(0)

        init(clock: ManualClock) {
            engine = LRUEngine(
                limits: MemoryLimits(cost: 2), sweepInterval: 0, policy: LeastRecentlyUsed(), clock: clock)
        }

        var released: Int { releases.withLock { $0 } }

        func store(_ key: String, cost: Int = 1) {
            let value = Reentrant { [weak self] in
                _ = self?.engine.totalCost
                self?.releases.withLock { $0 += 1 }
            }
            engine.store(value, cost: cost, for: key, expiration: .seconds(1))
        }
    }

    /// A deinitializer that uses the cache would deadlock if values were released under the lock.
    @Test(.timeLimit(.minutes(1))) func valuesAreReleasedOutsideTheLock() {
        let rig = ReentrantRig(clock: clock)
        rig.store("a")
        rig.store("a")
        #expect(rig.released == 1)
        rig.store("b", cost: 2)
        #expect(rig.released == 2)
        rig.engine.remove("b")
        #expect(rig.released == 3)
        rig.store("c")
        clock.advance(by: 2)
        rig.engine.removeExpired()
        #expect(rig.released == 4)
        rig.store("d")
        rig.store("e")
        rig.engine.configure(limits: MemoryLimits(cost: 1))
        #expect(rig.released == 5)
        rig.engine.configure(limits: MemoryLimits(cost: 1, entryShare: 0))
        #expect(rig.released == 6)
        rig.engine.configure(limits: MemoryLimits(cost: 2))
        rig.store("f")
        rig.engine.removeAll()
        #expect(rig.released == 7)
        rig.store("too big", cost: 9)
        #expect(rig.released == 8)
        rig.store("g")
        rig.engine.trim(toCost: 0)
        #expect(rig.released == 9)
        // A replacement may evict other values, and may itself be refused.
        rig.store("h")
        rig.store("i")
        rig.store("h", cost: 2)
        #expect(rig.released == 11)
        rig.store("h", cost: 3)
        #expect(rig.released == 13)
    }

    /// Values are released after their engine, so their deinitializers find no engine.
    @Test(.timeLimit(.minutes(1))) func valuesAreReleasedAfterTheirEngine() {
        let seen = Mutex<[Bool]>([])
        var engine: LRUEngine<Reentrant>? = LRUEngine(
            limits: MemoryLimits(cost: 0), sweepInterval: 1e6, policy: LeastRecentlyUsed(), clock: clock)
        for key in ["a", "b", "c"] {
            let value = Reentrant { [weak engine] in
                engine?.remove("b")
                let hasEngine = engine != nil
                seen.withLock { $0.append(hasEngine) }
            }
            engine?.store(value, cost: 1, for: key, expiration: .never)
        }
        engine?.remove("b")
        engine = nil
        #expect(seen.withLock { $0 } == [true, false, false])
    }
}

import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing
import TestHelpers

/// Behaviours C-43 to C-49, through the public storage.
struct MemoryStorageTests {
    private struct Item: CacheCostCalculable, Equatable {
        let number: Int
        var cacheCost = 1
    }

    private let clock = ManualClock()

    private func storage(
        costLimit: Int = 0, _ change: (inout MemoryStorage.Config) -> Void = { _ in }
    ) -> MemoryStorage.Backend<Item> {
        var config = MemoryStorage.Config(totalCostLimit: costLimit, cleanInterval: 0)
        change(&config)
        return MemoryStorage.Backend(config: config, clock: clock)
    }

    private func storedNumbers(_ storage: MemoryStorage.Backend<Item>, of range: Range<Int>) -> [Int] {
        range.filter { storage.isCached(forKey: "\($0)") }
    }

    @Test func defaults() {
        let config = MemoryStorage.Config(totalCostLimit: 7)
        #expect(config.totalCostLimit == 7)
        #expect(config.countLimit == .max)
        #expect(config.cleanInterval == 120)
        #expect(config.expiration.estimatedExpirationSince(clock.now) == clock.now + 300)
        #expect(!config.keepWhenEnteringBackground)
    }

    @Test func storesAndRemoves() {
        let storage = storage()
        storage.store(value: Item(number: 1, cacheCost: 10), forKey: "a")
        storage.store(value: Item(number: 2, cacheCost: 20), forKey: "b")
        #expect(storage.value(forKey: "a") == Item(number: 1, cacheCost: 10))
        #expect(storage.value(forKey: "absent") == nil)
        #expect(storage.totalCacheCost() == 30)
        storage.remove(forKey: "a")
        #expect(!storage.isCached(forKey: "a"))
        storage.removeAll()
        #expect(!storage.isCached(forKey: "b"))
        #expect(storage.totalCacheCost() == 0)
    }

    @Test(
        "Changed limits apply immediately to stored values; evicted values are not counted",
        .behaviours("C-43", "C-44"))
    func changedLimitsActAtOnce() {
        let storage = storage()
        for number in 0..<6 { storage.store(value: Item(number: number), forKey: "\(number)") }
        storage.config.countLimit = 4
        #expect(storedNumbers(storage, of: 0..<6) == [2, 3, 4, 5])
        storage.config.totalCostLimit = 2
        #expect(storedNumbers(storage, of: 0..<6) == [4, 5])
        #expect(storage.totalCacheCost() == 2)
        #expect(storage.config.countLimit == 4)
    }

    @Test("A changed clean interval restarts the sweep", .behaviours("C-43", "C-46"), .timeLimit(.minutes(1)))
    func changedIntervalRestartsTheSweep() async throws {
        let storage = storage()
        storage.store(value: Item(number: 1), forKey: "a", expiration: .seconds(1))
        clock.advance(by: 2)
        #expect(storage.totalCacheCost() == 1)
        storage.config.cleanInterval = 0.01
        while storage.totalCacheCost() > 0 { await Task.yield() }
    }

    @Test("A changed lifetime applies to values stored afterwards", .behaviours("C-43"))
    func changedLifetime() {
        let storage = storage { $0.expiration = .seconds(10) }
        storage.store(value: Item(number: 1), forKey: "a")
        storage.config.expiration = .seconds(3)
        storage.store(value: Item(number: 2), forKey: "b")
        #expect(storage.expiration(forKey: "a") == clock.now + 10)
        #expect(storage.expiration(forKey: "b") == clock.now + 3)
    }

    @Test(arguments: MemoryStorage.EvictionPolicy.allCases, MemoryStorage.EvictionPolicy.allCases)
    func changedPolicyKeepsTheValues(
        old: MemoryStorage.EvictionPolicy, new: MemoryStorage.EvictionPolicy
    ) {
        let storage = storage(costLimit: 6) { $0.evictionPolicy = old }
        for number in 0..<6 { storage.store(value: Item(number: number), forKey: "\(number)") }
        storage.config.evictionPolicy = new
        #expect(storedNumbers(storage, of: 0..<6) == [0, 1, 2, 3, 4, 5])
        for number in 6..<9 { storage.store(value: Item(number: number), forKey: "\(number)") }
        #expect(storage.totalCacheCost() == 6)
        storage.trim(toCost: 0)
        #expect(storedNumbers(storage, of: 0..<9).isEmpty)
    }

    @Test func oneValueTakesNoMoreThanItsShare() {
        let storage = storage(costLimit: 10) { $0.maximumEntryShare = 0.5 }
        storage.store(value: Item(number: 1, cacheCost: 5), forKey: "a")
        storage.store(value: Item(number: 2, cacheCost: 6), forKey: "b")
        #expect(storage.isCached(forKey: "a"))
        #expect(!storage.isCached(forKey: "b"))
        storage.config.maximumEntryShare = 0.4
        #expect(!storage.isCached(forKey: "a"))
        storage.config.maximumEntryShare = nil
        storage.store(value: Item(number: 2, cacheCost: 6), forKey: "b")
        #expect(storage.isCached(forKey: "b"))
    }

    @Test("An expired item is invisible, but counts until it is removed", .behaviours("C-44"))
    func expiredIsInvisibleButCounts() {
        let storage = storage { $0.expiration = .seconds(1) }
        storage.store(value: Item(number: 1), forKey: "a")
        #expect(storage.isCached(forKey: "a"))
        clock.advance(by: 1)
        #expect(!storage.isCached(forKey: "a"))
        #expect(storage.value(forKey: "a") == nil)
        #expect(storage.totalCacheCost() == 1)
        storage.removeExpired()
        #expect(storage.totalCacheCost() == 0)
    }

    @Test(
        "Reading extends by the stored lifetime, by a given one, or not at all",
        .behaviours("C-45"))
    func extending() {
        let storage = storage { $0.expiration = .seconds(10) }
        storage.store(value: Item(number: 1), forKey: "a")
        let stored = storage.expiration(forKey: "a")
        clock.advance(by: 4)
        _ = storage.value(forKey: "a", extendingExpiration: .none)
        #expect(storage.expiration(forKey: "a") == stored)
        _ = storage.value(forKey: "a")
        #expect(storage.expiration(forKey: "a") == clock.now + 10)
        _ = storage.value(forKey: "a", extendingExpiration: .expirationTime(.seconds(5)))
        #expect(storage.expiration(forKey: "a") == clock.now + 5)
    }

    @Test func expiredStoresNothing() {
        let storage = storage()
        storage.store(value: Item(number: 1), forKey: "a", expiration: .expired)
        #expect(storage.totalCacheCost() == 0)
    }

    @Test("The most recently stored values are evicted last", .behaviours("C-48"))
    func newestSurvive() {
        let storage = storage(costLimit: 3)
        for number in 0..<5 { storage.store(value: Item(number: number), forKey: "\(number)") }
        #expect(storedNumbers(storage, of: 0..<5) == [2, 3, 4])
    }
}

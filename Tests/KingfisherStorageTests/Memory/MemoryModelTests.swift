import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherStorage

/// A reference implementation of the memory cache: an array, least recently used first.
private struct MemoryModel {
    struct Entry {
        let key: String
        let value: Int
        let cost: Int
        let lifetime: TimeInterval
        var expires: Date
    }

    var entries: [Entry] = []
    var cost: Int
    var count: Int

    var totalCost: Int { entries.reduce(0) { $0 + $1.cost } }

    mutating func store(_ value: Int, cost new: Int, key: String, lifetime: TimeInterval, now: Date) {
        entries.removeAll { $0.key == key }
        guard new <= cost else { return }
        while totalCost + new > cost || entries.count + 1 > count { entries.removeFirst() }
        entries.append(Entry(key: key, value: value, cost: new, lifetime: lifetime, expires: now + lifetime))
    }

    mutating func value(_ key: String, extends: Bool, now: Date) -> Int? {
        guard let index = entries.firstIndex(where: { $0.key == key && $0.expires > now }) else { return nil }
        var entry = entries.remove(at: index)
        if extends { entry.expires = now + entry.lifetime }
        entries.append(entry)
        return entry.value
    }

    mutating func trim(cost: Int, count: Int) {
        self.cost = cost
        self.count = count
        entries.removeAll { $0.cost > cost }
        while totalCost > cost || entries.count > count { entries.removeFirst() }
    }
}

struct MemoryModelTests {
    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func behavesLikeTheModel(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let clock = ManualClock()
        var model = MemoryModel(cost: 100, count: 20)
        let engine = LRUEngine<Int>(
            limits: MemoryLimits(cost: 100, count: 20), sweepInterval: 0, policy: LeastRecentlyUsed(),
            clock: clock)
        for step in 0..<4_000 {
            let key = "key \(Int.random(in: 0..<60, using: &random))"
            change(key, to: step, in: engine, &model, clock, using: &random)
            #expect(engine.totalCost == model.totalCost)
            #expect(engine.count == model.entries.count)
            #expect(
                engine.isCached(key) == model.entries.contains { $0.key == key && $0.expires > clock.now })
        }
    }

    /// Does the same to the engine and to the model.
    private func change(
        _ key: String, to step: Int, in engine: LRUEngine<Int>, _ model: inout MemoryModel,
        _ clock: ManualClock, using random: inout SeededGenerator
    ) {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<40:
            let cost = Int.random(in: 0...30, using: &random)
            let lifetime = TimeInterval(Int.random(in: 1...50, using: &random))
            engine.store(step, cost: cost, for: key, expiration: .seconds(lifetime))
            model.store(step, cost: cost, key: key, lifetime: lifetime, now: clock.now)
        case 40..<80:
            let extends = Bool.random(using: &random)
            let value = engine.value(for: key, extending: extends ? .cacheTime : .none)
            let expected = model.value(key, extends: extends, now: clock.now)
            #expect(value == expected)
        case 80..<88:
            engine.remove(key)
            model.entries.removeAll { $0.key == key }
        case 88..<94:
            clock.advance(by: TimeInterval(Int.random(in: 1...5, using: &random)))
        case 94..<97:
            engine.removeExpired()
            model.entries.removeAll { $0.expires <= clock.now }
        case 97..<99:
            let cost = Int.random(in: 20...150, using: &random)
            let count = Int.random(in: 1...25, using: &random)
            engine.configure(limits: MemoryLimits(cost: cost, count: count))
            model.trim(cost: cost, count: count)
        default:
            engine.removeAll()
            model.entries = []
        }
    }
}

import KingfisherTestSupport
import Testing
import TestHelpers

@testable import KingfisherStorage

/// What callers can rely on for each eviction policy.
struct PolicyPromiseTests {
    private typealias Engine = MemoryEngine<Int, AnyEvictionPolicy>

    private func engine(_ kind: AnyEvictionPolicy.Kind, cost: Int, count: Int = .max) -> Engine {
        Engine(
            limits: MemoryLimits(cost: cost, count: count), sweepInterval: 0, policy: AnyEvictionPolicy(kind),
            clock: ManualClock())
    }

    @Test(
        "A new entry is admitted, regardless of the cache's size and the use of other entries",
        .behaviours("C-48"),
        arguments: AnyEvictionPolicy.Kind.allCases, [1, 2, 3])
    func newEntriesAreAdmitted(kind: AnyEvictionPolicy.Kind, size: Int) {
        for byCount in [true, false] {
            let engine = byCount ? engine(kind, cost: 0, count: size) : engine(kind, cost: size)
            for number in 0..<50 {
                engine.store(number, cost: 1, for: "\(number % 17)", expiration: .never)
                for _ in 0..<(number % 5) { _ = engine.value(for: "\(number % 17)") }
                #expect(engine.isCached("\(number % 17)"))
                #expect(engine.count == min(size, number + 1))
            }
        }
    }

    @Test(
        "Entries that are never read are evicted in the order of their arrival", .behaviours("C-48"),
        arguments: AnyEvictionPolicy.Kind.allCases)
    func unreadEntriesAreEvictedInOrder(kind: AnyEvictionPolicy.Kind) {
        let engine = engine(kind, cost: 30)
        for number in 0..<100 { engine.store(number, cost: 1, for: "\(number)", expiration: .never) }
        #expect((0..<100).filter { engine.isCached("\($0)") } == Array(70..<100))
    }

    @Test(
        "The outlook names the next two victims, and is nil if fewer remain",
        arguments: AnyEvictionPolicy.Kind.allCases)
    func outlookNamesTheNextVictims(kind: AnyEvictionPolicy.Kind) {
        var policy = AnyEvictionPolicy(kind)
        #expect(policy.outlook == nil)
        for node in 0..<20 { policy.admit(node, hash: UInt32(node), cost: 1) }
        for node in 0..<18 {
            let outlook = policy.outlook
            #expect(outlook?.next == node && outlook?.later == node + 1)
            #expect(policy.evict() == node)
        }
        policy.remove(18)
        #expect(policy.outlook == nil)
    }

    @Test("A scan of many images evicts no entry that is in use")
    func scansEvictNothingInUse() {
        let (image, used) = (1_000_000, 60)
        let engine = engine(.sizeAware, cost: 100 * image)
        for round in 0..<4 {
            for number in 0..<used where round == 0 {
                engine.store(number, cost: image, for: "used \(number)", expiration: .never)
            }
            for number in 0..<used { _ = engine.value(for: "used \(number)") }
        }
        for number in 0..<2_000 {
            engine.store(number, cost: image, for: "scanned \(number)", expiration: .never)
        }
        #expect((0..<used).filter { engine.isCached("used \($0)") }.count == used)
        // The control: by recency alone, the used entry is evicted.
        let plain = self.engine(.leastRecentlyUsed, cost: 100 * image)
        plain.store(0, cost: image, for: "used", expiration: .never)
        for number in 0..<2_000 {
            plain.store(number, cost: image, for: "scanned \(number)", expiration: .never)
        }
        #expect(!plain.isCached("used"))
    }

    /// The order in which entries leave the main part, by their costs and their numbers of uses there.
    private func order(_ entries: [(cost: Int, uses: Int)]) -> [Int] {
        var policy = SizeAware()
        func admitAll() {
            for (node, entry) in entries.enumerated() {
                policy.admit(node, hash: UInt32(node), cost: entry.cost)
            }
        }
        // An entry that returns soon enters the main part; a large one evicts all entries.
        let large = entries.count
        admitAll()
        policy.admit(large, hash: UInt32(large), cost: 1 << 30)
        for node in entries.indices { #expect(policy.evict() == node) }
        admitAll()
        for (node, entry) in entries.enumerated() {
            for _ in 1..<entry.uses { policy.access(node) }
        }
        #expect(policy.evict() == large)
        return entries.compactMap { _ in policy.evict() }
    }

    @Test("A big bitmap with one use more outlasts small ones")
    func usedBigBitmapStays() {
        // By the byte, a miss costs 1.01 for 20 MB and 1.4 for 500 KB: two uses of the former outweigh one
        // of the latter.
        #expect(order([(20_000_000, 2), (500_000, 1), (500_000, 1), (500_000, 1)]) == [1, 2, 3, 0])
    }

    @Test("At equal use a thumbnail outlasts a big bitmap")
    func atEqualUseTheSmallBitmapStays() {
        #expect(order([(20_000, 2), (8_000_000, 2), (20_000, 2)]) == [1, 0, 2])
    }

    @Test("An entry that is no longer used is evicted, regardless of earlier uses")
    func oldUsesAreForgotten() {
        let engine = engine(.sizeAware, cost: 10_000_000)
        engine.store(0, cost: 1_000_000, for: "once loved", expiration: .never)
        _ = engine.value(for: "once loved")
        for number in 0..<30 {
            engine.store(number, cost: 1_000_000, for: "unread \(number)", expiration: .never)
        }
        for _ in 0..<20 { _ = engine.value(for: "once loved") }

        for number in 0..<2_000 {
            engine.store(number, cost: 1_000_000, for: "\(number)", expiration: .never)
            for _ in 0..<3 { _ = engine.value(for: "\(number)") }
            if number == 50 { #expect(engine.isCached("once loved")) }
        }
        #expect(!engine.isCached("once loved"))
    }
}

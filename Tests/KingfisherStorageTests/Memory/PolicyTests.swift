import KingfisherTestSupport
import Testing

@testable import KingfisherStorage

struct PolicyTests {
    /// The costs of entries: all equal, small numbers, or bytes of images.
    enum Costs: CaseIterable {
        case equal, few, images

        func draw(using random: inout SeededGenerator) -> Int {
            switch self {
            case .equal: 1
            case .few: Int.random(in: 0...20, using: &random)
            case .images: 1 << Int.random(in: 8...24, using: &random)
            }
        }
    }

    /// Applies the same random operations to a policy and its model; like the engine, reuses evicted nodes.
    private func compare(
        _ policy: some EvictionPolicy, with model: some PolicyModel, costs: Costs, seed: UInt64
    ) {
        var (policy, model) = (policy, model)
        var random = SeededGenerator(seed: seed)
        var resident: Set<Int> = []
        for _ in 0..<6_000 {
            let node = Int.random(in: 0..<30, using: &random)
            let cost = costs.draw(using: &random)
            switch (resident.contains(node), Int.random(in: 0..<20, using: &random)) {
            case (_, 0..<5):
                let victim = policy.evict()
                #expect(victim == model.evict())
                #expect(victim.map { resident.remove($0) != nil } ?? resident.isEmpty)
            case (false, _):
                let hash = UInt32.random(in: 0..<90, using: &random)
                policy.admit(node, hash: hash, cost: cost)
                model.admit(node, hash: hash, cost: cost)
                resident.insert(node)
            case (true, 5):
                policy.remove(node)
                model.remove(node)
                resident.remove(node)
            case (true, 6):
                policy.update(node, cost: cost)
                model.update(node, cost: cost)
            case (true, _):
                policy.access(node)
                model.access(node)
            }
        }
        while let victim = policy.evict() {
            #expect(victim == model.evict())
            #expect(resident.remove(victim) != nil)
        }
        #expect(resident.isEmpty)
        #expect(model.evict() == nil)
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>, Costs.allCases)
    func sizeAwareBehavesLikeItsModel(seed: UInt64, costs: Costs) {
        compare(SizeAware(), with: SizeAwareModel(), costs: costs, seed: seed)
    }

    /// The model's clock starts at zero, so it never overflows.
    @Test(arguments: [1, 1 << 16, 1 << 30] as [Int], Costs.allCases)
    func clockOverflowHasNoEffect(before: Int, costs: Costs) {
        compare(SizeAware(clock: (1 << 61) - before), with: SizeAwareModel(), costs: costs, seed: 9)
    }

    @Test(arguments: AnyEvictionPolicy.Kind.allCases)
    func everyEntryIsEvictedExactlyOnce(kind: AnyEvictionPolicy.Kind) {
        var random = SeededGenerator(seed: 4)
        var policy = AnyEvictionPolicy(kind)
        #expect(policy.evict() == nil)
        for round in 0..<4 {
            for node in 0..<500 {
                let cost = [0, 1, 3_000_000, .max].randomElement(using: &random) ?? 0
                policy.admit(node, hash: UInt32(round * 250 + node), cost: cost)
            }
            for _ in 0..<2_000 { policy.access(Int.random(in: 0..<500, using: &random)) }
            for node in 0..<50 { policy.update(node, cost: node * 100_000) }
            for node in 450..<500 { policy.remove(node) }
            let victims = (0..<450).compactMap { _ in policy.evict() }
            #expect(victims.sorted() == Array(0..<450))
            #expect(policy.evict() == nil)
        }
    }
}

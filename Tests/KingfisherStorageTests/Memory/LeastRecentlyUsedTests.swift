import KingfisherTestSupport
import Testing

@testable import KingfisherStorage

struct LeastRecentlyUsedTests {
    @Test func evictsInOrderOfLastUse() {
        var policy = LeastRecentlyUsed()
        for node in 0..<4 { policy.admit(node, hash: 0, cost: 1) }
        policy.access(0)
        policy.remove(2)
        policy.access(3)
        #expect([policy.evict(), policy.evict(), policy.evict(), policy.evict()] == [1, 0, 3, nil])
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func behavesLikeAListOfNodes(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var policy = LeastRecentlyUsed()
        var model: [Int] = []  // Oldest first.
        for _ in 0..<5_000 {
            let node = Int.random(in: 0..<40, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                #expect(policy.evict() == (model.isEmpty ? nil : model.removeFirst()))
            case 1 where model.contains(node):
                policy.remove(node)
                model.removeAll { $0 == node }
            case _ where model.contains(node):
                policy.access(node)
                model.removeAll { $0 == node }
                model.append(node)
            default:
                policy.admit(node, hash: 0, cost: 1)
                model.append(node)
            }
        }
        while let victim = policy.evict() { #expect(victim == model.removeFirst()) }
        #expect(model.isEmpty)
    }
}

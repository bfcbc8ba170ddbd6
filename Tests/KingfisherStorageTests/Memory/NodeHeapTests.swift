import KingfisherTestSupport
import Testing

@testable import KingfisherStorage

struct NodeHeapTests {
    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func behavesLikeALinearSearch(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var heap = NodeHeap()
        var model: [Int: Int] = [:]
        for step in 0..<4_000 {
            let node = Int.random(in: 0..<50, using: &random)
            let priority = Int.random(in: -20...20, using: &random)
            switch (model[node] != nil, Int.random(in: 0..<3, using: &random)) {
            case (false, _):
                heap.insert(node, priority: priority)
                model[node] = priority
            case (true, 0):
                heap.remove(node)
                model[node] = nil
            case (true, _):
                heap.change(node, priority: priority)
                model[node] = priority
            }
            if step % 1_000 == 999 {
                heap.lowerAll(by: 7)
                model = model.mapValues { $0 - 7 }
            }
            let lowest = model.min { ($0.value, $0.key) < ($1.value, $1.key) }
            #expect(heap.lowest?.node == lowest?.key)
            #expect(heap.lowest?.priority == lowest?.value)
            #expect(heap.count == model.count)
            #expect(heap.contains(node) == (model[node] != nil))
        }
    }
}

import KingfisherTestSupport
import Testing

@testable import KingfisherStorage

struct SlotTableTests {
    /// Few hashes, so that clusters form, wrap around and share hashes.
    @Test(arguments: [(1, 5), (2, 40), (3, 1_000), (4, UInt32.max)] as [(UInt64, UInt32)])
    func behavesLikeADictionary(seed: UInt64, hashes: UInt32) {
        var random = SeededGenerator(seed: seed)
        var table = SlotTable()
        var model: [Int: UInt32] = [:]
        for step in 0..<6_000 {
            let node = Int.random(in: 0..<300, using: &random)
            if let hash = model[node] {
                table.remove(hash, node: node)
                model[node] = nil
            } else {
                // High hashes make clusters that wrap around the table's end.
                let hash = UInt32.max - UInt32.random(in: 0..<hashes, using: &random)
                table.insert(hash, node: node)
                model[node] = hash
            }
            #expect(table.count == model.count)
            if step % 50 == 0 {
                for (node, hash) in model { #expect(table.find(hash) { $0 == node } == node) }
                for node in 0..<300 where model[node] == nil {
                    #expect(!table.slots.contains { $0.node == UInt32(node) })
                }
            }
        }
    }

    @Test func distinguishesNodesWithOneHash() {
        var table = SlotTable()
        table.insert(7, node: 1)
        table.insert(7, node: 2)
        #expect(table.find(7) { $0 == 2 } == 2)
        #expect(table.find(7) { $0 == 3 } == nil)
        #expect(table.find(8) { _ in true } == nil)
        table.remove(7, node: 1)
        #expect(table.find(7) { _ in true } == 2)
    }
}

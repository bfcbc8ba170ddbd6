import Foundation
import KingfisherSharedCache
import KingfisherStorage
import Testing

@testable import FleetSimulation

struct ModelTests {
    @Test(
        "A modelled file stands for its size, also inside of a stored value",
        arguments: [200, 20_001, 8_000_000])
    func file(_ size: Int) throws {
        let file = ModelledFile(image: 7, version: 3, size: size)
        #expect(file.data.count <= max(16, size / 64))
        #expect(ModelledFile(file.data) == file)
        #expect(ModelledFile.wireBytes(file.data) == size)
        #expect(ModelledFile.wireBytes(Data(count: 100) + file.data) == size + 100)
    }

    @Test("Other bytes are no modelled file, and stand for themselves")
    func notAFile() {
        let file = ModelledFile(image: 7, version: 3, size: 20_000).data
        for data in [
            Data(), Data(count: 15), Data(count: 64), file.dropLast(), file + Data(count: 4),
            file.dropFirst(4),
        ] {
            #expect(ModelledFile(Data(data)) == nil)
        }
        #expect(ModelledFile.wireBytes(Data(count: 64)) == 64)
        // It claims more bytes than there are.
        #expect(ModelledFile.wireBytes(file.suffix(20)) == 20)
    }

    @Test("The file of another image, of another size, and other bytes are wrong")
    func wrongFile() {
        let catalogue = Catalogue(FleetSettings())
        let right = ModelledFile(image: 7, version: 1, size: catalogue.size(7))
        #expect(catalogue.file(right.data, of: 7) == right)
        #expect(catalogue.file(right.data, of: 8) == nil)
        let larger = ModelledFile(image: 7, version: 1, size: catalogue.size(7) + 1)
        #expect(catalogue.file(larger.data, of: 7) == nil && catalogue.file(Data(), of: 7) == nil)
    }

    @Test("A pipe serves one transfer after the other")
    func pipe() {
        var pipe = Pipe(bytesPerSecond: 1000)
        #expect(pipe.transfer(500, at: 0) == 500_000_000)
        #expect(pipe.transfer(500, at: 0) == 1_000_000_000)
        #expect(pipe.transfer(0, at: 3_000_000_000, fixed: 7) == 3_000_000_007)
        #expect(pipe.bytes == 1000)
    }

    @Test("A bounded store evicts the least recently used values until the new one fits")
    func store() {
        var store = BoundedStore<String, Int>(limit: 10, policy: .leastRecentlyUsed)
        for (number, key) in ["a", "b", "c"].enumerated() { store.store(number, cost: 3, for: key) }
        #expect(store.value("a") == 0)
        store.store(3, cost: 4, for: "d")
        #expect(
            store.peek("b") == nil && store.peek("a") == 0 && store.peek("c") == 2 && store.peek("d") == 3)
        #expect(store.totalCost == 10 && store.evictions == 1 && store.count == 3)
        let tooLarge = store.store(4, cost: 11, for: "a")
        #expect(!tooLarge && store.peek("a") == nil && store.totalCost == 7)
        store.remove("d")
        store.remove("d")
        #expect(store.totalCost == 3 && store.cost(of: "c") == 3)
    }

    @Test("Requests follow Zipf's law, and sizes their median")
    func catalogue() {
        let settings = FleetSettings().with { ($0.images, $0.popularity, $0.missing) = (1000, 1, 0.1) }
        let catalogue = Catalogue(settings)
        let random = SimulatedRandom(seed: 5)
        var counts = [Int](repeating: 0, count: 1000)
        for _ in 0..<100_000 { counts[catalogue.image(at: random.unit())] += 1 }
        let harmonic = (1...1000).reduce(0.0) { $0 + 1 / Double($1) }
        for rank in [1, 2, 10] {
            let expected = 100_000 / Double(rank) / harmonic
            #expect((0.9...1.1).contains(Double(counts[rank - 1]) / expected))
        }
        let sizes = (0..<1000).map(catalogue.size).sorted()
        #expect((17_000...23_000).contains(sizes[500]))
        #expect((60...140).contains((0..<1000).count(where: catalogue.isMissing)))
    }

    @Test("The quantiles of a list are values of it")
    func quantiles() {
        let values = (1...100).map(Double.init).shuffled()
        #expect(values.quantile(0) == 1 && values.quantile(0.5) == 51 && values.quantile(1) == 100)
        #expect([Double]().quantile(0.5) == 0)
    }
}

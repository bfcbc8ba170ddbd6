import Foundation
import Kingfisher
import Testing

@Suite("Zoom: store and queue of tiles") struct TileStoreTests {
    private func tile(_ column: Int, _ row: Int = 0, level: Int = 0) -> TiledImage.Tile {
        TiledImage.Tile(level: level, column: column, row: row)
    }

    @Test("Above the limit the store evicts other levels, then what is furthest, but nothing visible")
    func eviction() {
        var store = TileStore<Int>()
        for column in 0..<8 { store.insert(column, bytes: 10, for: tile(column)) }
        store.insert(90, bytes: 10, for: tile(0, level: 2))
        store.insert(91, bytes: 10, for: tile(0, level: 1))
        let visible = TileGrid(level: 0, columns: 2..<4, rows: 0..<1)
        let center = CGPoint(x: 3 * 512, y: 256)
        store.evict(to: 100, keeping: visible, center: center)
        #expect(store.count == 10 && store.evictionCount == 0)
        store.evict(to: 90, keeping: visible, center: center)
        #expect(store[tile(0, level: 2)] == nil && store[tile(0, level: 1)] == 91)
        store.evict(to: 60, keeping: visible, center: center)
        #expect((0..<8).filter { store[tile($0)] != nil } == [0, 1, 2, 3, 4, 5])
        #expect(store.bytes == 60 && store.evictionCount == 4)
        store.evict(to: 0, keeping: visible, center: center)
        #expect((0..<8).filter { store[tile($0)] != nil } == [2, 3] && store.bytes == 20)
    }

    @Test("A tile that is inserted twice counts once")
    func replacement() {
        var store = TileStore<Int>()
        store.insert(1, bytes: 10, for: tile(0))
        store.insert(2, bytes: 7, for: tile(0))
        #expect(store.bytes == 7 && store.count == 1 && store[tile(0)] == 2)
    }

    @Test("A missing tile is replaced by its nearest ancestor in the store")
    func ancestors() {
        var store = TileStore<String>()
        store.insert("far", bytes: 1, for: tile(0, level: 3))
        #expect(store.ancestor(of: tile(5, 2), levelCount: 4)?.1 == "far")
        store.insert("near", bytes: 1, for: tile(2, 1, level: 1))
        let found = store.ancestor(of: tile(5, 2), levelCount: 4)
        #expect(found?.0 == tile(2, 1, level: 1) && found?.1 == "near")
        #expect(store.ancestor(of: tile(5, 2), levelCount: 1) == nil)
    }

    @Test("The queue runs the most urgent tiles, cancels what is not wanted, and does not repeat failures")
    func queue() {
        var queue = TileQueue(width: 2)
        #expect(queue.want((0..<4).map { tile($0) }).started == [tile(0), tile(1)])
        #expect(queue.end(tile(1), failing: false) == [tile(2)])
        // 0 and 2 run; 2 is not wanted any more, and 5 is more urgent than 3.
        let changes = queue.want([tile(5), tile(0), tile(3)])
        #expect(changes.cancelled == [tile(2)] && changes.started == [tile(5)])
        #expect(queue.end(tile(5), failing: true) == [tile(3)])
        #expect(queue.want([tile(5)]).started.isEmpty)
        #expect(queue.running.isEmpty && queue.failed == [tile(5)])
    }
}

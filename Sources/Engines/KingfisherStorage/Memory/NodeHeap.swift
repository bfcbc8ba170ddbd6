/// A binary min-heap of nodes by priority that finds the position of a node in O(1). Every other operation is
/// O(log n), `insert` amortised.
struct NodeHeap: Sendable {
    struct Item: Sendable {
        var priority: Int
        var node: Int

        /// Breaks ties by node index, so that the order depends only on the content of the heap.
        static func < (one: Item, other: Item) -> Bool {
            (one.priority, one.node) < (other.priority, other.node)
        }
    }

    private static let none: Int32 = -1

    private var items: [Item] = []
    private var positions: [Int32] = []

    var count: Int { items.count }
    var isEmpty: Bool { items.isEmpty }
    var lowest: Item? { items.first }

    var outlook: EvictionOutlook? {
        items.count < 2 ? nil : EvictionOutlook(next: items[0].node, later: items[1].node)
    }

    func contains(_ node: Int) -> Bool {
        node < positions.count && positions[node] != Self.none
    }

    mutating func insert(_ node: Int, priority: Int) {
        while positions.count <= node { positions.append(Self.none) }
        items.append(Item(priority: priority, node: node))
        rise(from: items.count - 1)
    }

    mutating func remove(_ node: Int) {
        let hole = Int(positions[node])
        positions[node] = Self.none
        let moved = items.removeLast()
        guard hole < items.count else { return }
        items[hole] = moved
        settle(at: hole)
    }

    mutating func change(_ node: Int, priority: Int) {
        let position = Int(positions[node])
        items[position].priority = priority
        settle(at: position)
    }

    mutating func lowerAll(by amount: Int) {
        for index in items.indices { items[index].priority -= amount }
    }

    private mutating func settle(at position: Int) {
        if position > 0, items[position] < items[(position - 1) / 2] {
            rise(from: position)
        } else {
            sink(from: position)
        }
    }

    private mutating func rise(from start: Int) {
        let item = items[start]
        var position = start
        while position > 0 {
            let parent = (position - 1) / 2
            guard item < items[parent] else { break }
            put(items[parent], at: position)
            position = parent
        }
        put(item, at: position)
    }

    private mutating func sink(from start: Int) {
        let item = items[start]
        var position = start
        while true {
            var child = 2 * position + 1
            guard child < items.count else { break }
            if child + 1 < items.count, items[child + 1] < items[child] { child += 1 }
            guard items[child] < item else { break }
            put(items[child], at: position)
            position = child
        }
        put(item, at: position)
    }

    private mutating func put(_ item: Item, at position: Int) {
        items[position] = item
        positions[item.node] = Int32(truncatingIfNeeded: position)
    }
}

/// A binary heap that stores the position of each element, so that elements can be moved or removed in O(log
/// n).
package struct IndexedHeap<Element: Hashable & Sendable, Rank: Comparable & Sendable>: Sendable {
    private var nodes: [(element: Element, rank: Rank)] = []
    private var positions: [Element: Int] = [:]

    package init() {}

    package var first: (element: Element, rank: Rank)? { nodes.first }

    package var isEmpty: Bool { nodes.isEmpty }
    package var count: Int { nodes.count }

    package func rank(of element: Element) -> Rank? { positions[element].map { nodes[$0].rank } }

    package mutating func set(_ element: Element, to rank: Rank) {
        if let position = positions[element] {
            let isEarlier = rank < nodes[position].rank
            settle((element, rank), at: position, isEarlier: isEarlier)
        } else {
            nodes.append((element, rank))
            settle((element, rank), at: nodes.count - 1, isEarlier: true)
        }
    }

    /// Sets the rank of an element; nil removes the element.
    package mutating func place(_ element: Element, at rank: Rank?) {
        if let rank { set(element, to: rank) } else { remove(element) }
    }

    @discardableResult
    package mutating func remove(_ element: Element) -> Bool {
        guard !nodes.isEmpty, let position = positions.removeValue(forKey: element) else { return false }
        let last = nodes.removeLast()
        if position < nodes.count {
            settle(last, at: position, isEarlier: last.rank < nodes[position].rank)
        }
        return true
    }

    private mutating func settle(_ node: (element: Element, rank: Rank), at start: Int, isEarlier: Bool) {
        let position = isEarlier ? rise(node.rank, from: start) : sink(node.rank, from: start)
        nodes[position] = node
        positions[node.element] = position
    }

    private mutating func rise(_ rank: Rank, from start: Int) -> Int {
        var position = start
        while position > 0 {
            let parent = (position - 1) / 2
            guard rank < nodes[parent].rank else { break }
            move(from: parent, to: position)
            position = parent
        }
        return position
    }

    private mutating func sink(_ rank: Rank, from start: Int) -> Int {
        var position = start
        while true {
            var child = 2 * position + 1
            guard child < nodes.count else { break }
            if child + 1 < nodes.count, nodes[child + 1].rank < nodes[child].rank { child += 1 }
            guard nodes[child].rank < rank else { break }
            move(from: child, to: position)
            position = child
        }
        return position
    }

    private mutating func move(from old: Int, to new: Int) {
        nodes[new] = nodes[old]
        positions[nodes[new].element] = new
    }
}

/// Nodes in insertion order: a doubly linked list in one array. A node is in a list at most once. Every
/// operation is O(1), `insert` amortised.
@usableFromInline
struct NodeList: Sendable {
    @usableFromInline
    struct Link: Sendable {
        @usableFromInline var newer: Int32
        @usableFromInline var older: Int32

        @inlinable
        init(newer: Int32, older: Int32) {
            self.newer = newer
            self.older = older
        }
    }

    @usableFromInline static var none: Int32 { -1 }

    @usableFromInline var links: [Link] = []
    @usableFromInline var first: Int32 = -1
    @usableFromInline var last: Int32 = -1

    @usableFromInline
    init() {}

    var isEmpty: Bool { last == Self.none }

    var oldest: Int? { last == Self.none ? nil : Int(last) }

    @inlinable
    var outlook: EvictionOutlook? {
        guard last != Self.none else { return nil }
        let later = links[Int(last)].newer
        return later == Self.none ? nil : EvictionOutlook(next: Int(last), later: Int(later))
    }

    func prefetch(_ node: Int) {
        Prefetch.element(node, of: links)
    }

    @usableFromInline
    mutating func insert(_ node: Int) {
        while links.count <= node {
            links.append(Link(newer: Self.none, older: Self.none))
        }
        prepend(Int32(truncatingIfNeeded: node))
    }

    @usableFromInline
    mutating func remove(_ node: Int) {
        unlink(Int32(truncatingIfNeeded: node))
    }

    @inlinable
    mutating func renew(_ node: Int) {
        let node = Int32(truncatingIfNeeded: node)
        guard node != first else { return }
        unlink(node)
        prepend(node)
    }

    @inlinable
    mutating func prepend(_ node: Int32) {
        links[Int(node)] = Link(newer: Self.none, older: first)
        if first == Self.none {
            last = node
        } else {
            links[Int(first)].newer = node
        }
        first = node
    }

    @inlinable
    mutating func unlink(_ node: Int32) {
        let link = links[Int(node)]
        if link.newer == Self.none {
            first = link.older
        } else {
            links[Int(link.newer)].older = link.older
        }
        if link.older == Self.none {
            last = link.newer
        } else {
            links[Int(link.older)].newer = link.newer
        }
    }
}

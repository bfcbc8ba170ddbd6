/// Nodes in the order they were put in, as a doubly linked list threaded through one array.
///
/// A node stands in a list once at most. Every operation is O(1), `insert` amortised.
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

    /// The node that is in the list for the longest time.
    var oldest: Int? { last == Self.none ? nil : Int(last) }

    /// The two nodes that are in the list for the longest time, if there are two.
    @inlinable
    var outlook: EvictionOutlook? {
        guard last != Self.none else { return nil }
        let later = links[Int(last)].newer
        return later == Self.none ? nil : EvictionOutlook(next: Int(last), later: Int(later))
    }

    /// Has the links of a node fetched.
    func prefetch(_ node: Int) {
        Prefetch.element(node, of: links)
    }

    /// Puts in a node that is not in the list, as the newest.
    @usableFromInline
    mutating func insert(_ node: Int) {
        while links.count <= node {
            links.append(Link(newer: Self.none, older: Self.none))
        }
        prepend(Int32(truncatingIfNeeded: node))
    }

    /// Takes out a node that is in the list.
    @usableFromInline
    mutating func remove(_ node: Int) {
        unlink(Int32(truncatingIfNeeded: node))
    }

    /// Makes a node that is in the list the newest.
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

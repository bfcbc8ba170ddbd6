/// Evicts the entry whose last use, by store or read, is longest ago.
///
/// A doubly linked list threaded through one array. Every operation is O(1), `admit` amortised.
@usableFromInline
package struct LeastRecentlyUsed: EvictionPolicy {
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
    @usableFromInline var newest: Int32 = -1
    @usableFromInline var oldest: Int32 = -1

    @usableFromInline
    package init() {}

    @usableFromInline
    package mutating func admit(_ node: Int, hash: UInt32, cost: Int) {
        while links.count <= node {
            links.append(Link(newer: Self.none, older: Self.none))
        }
        prepend(Int32(node))
    }

    @inlinable
    package mutating func access(_ node: Int) {
        let node = Int32(node)
        guard node != newest else { return }
        unlink(node)
        prepend(node)
    }

    @usableFromInline
    package mutating func update(_ node: Int, cost: Int) {
        access(node)
    }

    @usableFromInline
    package mutating func remove(_ node: Int) {
        unlink(Int32(node))
    }

    @usableFromInline
    package mutating func evict() -> Int? {
        guard oldest != Self.none else { return nil }
        let victim = oldest
        unlink(victim)
        return Int(victim)
    }

    @inlinable
    mutating func prepend(_ node: Int32) {
        links[Int(node)] = Link(newer: Self.none, older: newest)
        if newest == Self.none {
            oldest = node
        } else {
            links[Int(newest)].newer = node
        }
        newest = node
    }

    @inlinable
    mutating func unlink(_ node: Int32) {
        let link = links[Int(node)]
        if link.newer == Self.none {
            newest = link.older
        } else {
            links[Int(link.newer)].older = link.older
        }
        if link.older == Self.none {
            oldest = link.newer
        } else {
            links[Int(link.older)].newer = link.newer
        }
    }
}

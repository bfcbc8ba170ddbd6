/// The eviction policy that a program has chosen.
///
/// One stored property for each rather than an enum of them: changing a payload in place copies its arrays.
@usableFromInline
package struct ChosenPolicy: Sendable {
    /// Which policy decides.
    package enum Kind: Sendable {
        case leastRecentlyUsed
    }

    private let kind: Kind
    @usableFromInline var leastRecentlyUsed = LeastRecentlyUsed()

    package init(_ kind: Kind) {
        self.kind = kind
    }
}

extension ChosenPolicy: EvictionPolicy {
    @usableFromInline
    package mutating func admit(_ node: Int, hash: UInt32, cost: Int) {
        leastRecentlyUsed.admit(node, hash: hash, cost: cost)
    }

    @inlinable
    package mutating func access(_ node: Int) {
        leastRecentlyUsed.access(node)
    }

    @usableFromInline
    package mutating func update(_ node: Int, cost: Int) {
        leastRecentlyUsed.update(node, cost: cost)
    }

    @usableFromInline
    package mutating func remove(_ node: Int) {
        leastRecentlyUsed.remove(node)
    }

    @usableFromInline
    package mutating func evict() -> Int? {
        leastRecentlyUsed.evict()
    }
}

/// Decides which entry of a memory cache to evict next, without access to keys or values.
///
/// An entry is known by the index of its node. Indices are small and reused after `remove` or `evict`, so a
/// policy can store its state in arrays beside the nodes. A policy is a pure value: it takes no lock and
/// reads no clock. The engine calls it under its lock.
@usableFromInline
package protocol EvictionPolicy: Sendable {
    /// A new entry was stored in `node`. `hash` identifies a key that returns after its eviction.
    mutating func admit(_ node: Int, hash: UInt32, cost: Int)

    mutating func access(_ node: Int)

    /// The value of `node` was replaced, with a new cost. Counts as a use.
    mutating func update(_ node: Int, cost: Int)

    mutating func remove(_ node: Int)

    mutating func evict() -> Int?

    /// A guess at the next two entries to evict, used to prefetch their memory.
    ///
    /// The getter is mutating because the compiler copies a large value for a nonmutating one.
    var outlook: EvictionOutlook? { mutating get }

    func prefetch(_ outlook: EvictionOutlook)
}

@usableFromInline
package struct EvictionOutlook: Sendable, Equatable {
    @usableFromInline var next: Int
    @usableFromInline var later: Int

    @inlinable
    init(next: Int, later: Int) {
        self.next = next
        self.later = later
    }
}

/// The weight of a cost where policies divide a cache into parts.
///
/// It is at least 1, so that entries without a cost are counted by number, and at most 64 GiB, so that a sum
/// over all entries cannot overflow.
enum EvictionWeight {
    static func of(cost: Int) -> Int {
        min(max(1, cost), 1 << 36)
    }
}

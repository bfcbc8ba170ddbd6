/// Decides which entry of a memory cache goes next, without knowing keys or values.
///
/// Entries are known by the index of their node, a small number that is used again after `remove` or `evict`
/// gave it up, so that a policy can keep its own state in arrays beside the nodes. A policy is a pure value:
/// it takes no lock, reads no clock and never sees what it decides about. The engine calls it under its lock.
@usableFromInline
package protocol EvictionPolicy: Sendable {
    /// A new entry stands in `node`. `hash` survives eviction and so can tell a returning key from a new one.
    mutating func admit(_ node: Int, hash: UInt32, cost: Int)

    /// The entry in `node` was read.
    mutating func access(_ node: Int)

    /// The entry in `node` got a new value and with it another cost; it counts as a use.
    mutating func update(_ node: Int, cost: Int)

    /// The entry in `node` leaves for a reason of its own: removed or expired.
    mutating func remove(_ node: Int)

    /// Chooses the entry to give up and forgets it; nil when there is none.
    mutating func evict() -> Int?

    /// What will probably go next and after that: a guess, for fetching their memory before it is needed.
    ///
    /// Mutating because the compiler copies a large value for a getter that is not.
    var outlook: EvictionOutlook? { mutating get }

    /// Has the memory fetched that evicting these nodes touches.
    func prefetch(_ outlook: EvictionOutlook)
}

/// The nodes that a policy means to give up.
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

/// What a cost counts where policies share out room.
///
/// At least 1, so that entries without a cost are shared out by their number; at most 64 GiB, so that no sum
/// over all entries can overflow.
enum EvictionWeight {
    static func of(cost: Int) -> Int {
        min(max(1, cost), 1 << 36)
    }
}

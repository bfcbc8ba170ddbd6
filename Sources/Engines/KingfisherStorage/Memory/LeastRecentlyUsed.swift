/// Evicts the least recently used entry. Stores and reads count as uses. Every operation is O(1), `admit`
/// amortised.
@usableFromInline
package struct LeastRecentlyUsed: EvictionPolicy {
    @usableFromInline var uses = NodeList()

    @usableFromInline
    package init() {}

    @usableFromInline
    package mutating func admit(_ node: Int, hash: UInt32, cost: Int) {
        uses.insert(node)
    }

    @inlinable
    package mutating func access(_ node: Int) {
        uses.renew(node)
    }

    @usableFromInline
    package mutating func update(_ node: Int, cost: Int) {
        uses.renew(node)
    }

    @usableFromInline
    package mutating func remove(_ node: Int) {
        uses.remove(node)
    }

    @usableFromInline
    package mutating func evict() -> Int? {
        guard let victim = uses.oldest else { return nil }
        uses.remove(victim)
        return victim
    }

    @inlinable
    package var outlook: EvictionOutlook? { uses.outlook }

    @usableFromInline
    package func prefetch(_ outlook: EvictionOutlook) {
        uses.prefetch(outlook.later)
    }
}

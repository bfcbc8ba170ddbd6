/// What a memory cache knows of an entry but its key and value, or a vacant place for that.
///
/// Half a line of the processor's cache.
@usableFromInline
struct MemoryNode: Sendable {
    /// Seconds since the reference date.
    @usableFromInline var expires: Double
    @usableFromInline var cost: Int
    @usableFromInline var lifetime: Lifetime
    @usableFromInline var hash: UInt32

    @usableFromInline
    init(hash: UInt32, cost: Int, lifetime: Lifetime, expires: Double) {
        self.expires = expires
        self.cost = cost
        self.lifetime = lifetime
        self.hash = hash
    }
}

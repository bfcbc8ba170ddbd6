/// What a memory cache knows of an entry but its value, or a vacant place for that.
///
/// A line of the processor's cache, 64 bytes: a hit reads one.
@usableFromInline
struct MemoryNode: Sendable {
    @usableFromInline var key: KeyBytes
    /// Seconds since the reference date.
    @usableFromInline var expires: Double
    @usableFromInline var lifetime: Lifetime
    @usableFromInline var hash: UInt64
    @usableFromInline var cost: Int

    @usableFromInline
    init(hash: UInt64, cost: Int, lifetime: Lifetime, expires: Double) {
        key = KeyBytes()
        self.expires = expires
        self.lifetime = lifetime
        self.hash = hash
        self.cost = cost
    }
}

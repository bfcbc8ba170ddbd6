/// What a memory cache knows of an entry but its value, or a vacant place for that.
///
/// A line of the processor's cache, 64 bytes: a hit reads one.
@usableFromInline
struct MemoryNode: Sendable {
    @usableFromInline var key: String
    /// Seconds since the reference date.
    @usableFromInline var expires: Double
    @usableFromInline var lifetime: Lifetime
    @usableFromInline var hash: UInt64
    @usableFromInline var cost: Int
    private let padding: UInt64 = 0

    @usableFromInline
    init(key: String, hash: UInt64, cost: Int, lifetime: Lifetime, expires: Double) {
        self.key = key
        self.expires = expires
        self.lifetime = lifetime
        self.hash = hash
        self.cost = cost
    }
}

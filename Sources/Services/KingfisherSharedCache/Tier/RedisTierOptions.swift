public import Kingfisher

/// What a ``RedisTier`` stores, and for how long.
public struct RedisTierOptions: Sendable {
    /// The name of the tier in events.
    public var name = "redis"
    /// Whether originals are stored in addition to processed images.
    public var keepsOriginals = false
    /// How long callers wait for each operation.
    public var deadlines = TierDeadlines()
    /// A part of all keys. A new version makes all earlier entries unreachable; the engine removes them when
    /// they expire.
    public var version = ""
    /// The largest file that is stored, in bytes.
    public var maximumBytes = 8 << 20
    /// How long an entry is used at most, less a random part of at most a tenth.
    public var maximumLifetime = Duration.seconds(7 * 86_400)
    /// The part of the lifetime after which an entry is stale: it is still delivered, and one machine
    /// replaces it. Memory and disk of other machines keep it until then.
    public var freshFraction = 0.9
    /// How eagerly an entry is replaced before it is stale, in units of the time that it took to make it; 0
    /// for never.
    public var earlyRenewal = 1.0
    /// How long one machine may take to make an entry. A later write is refused.
    public var leaseDuration = Duration.seconds(30)
    /// How long the generation of a tag is used before the engine is asked again, which delays
    /// ``RedisTier/invalidate(tag:)`` on other machines.
    public var tagMemory = Duration.seconds(1)

    /// Makes the default options.
    public init() {}
}

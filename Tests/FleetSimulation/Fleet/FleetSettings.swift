package import KingfisherSharedCache

/// A fleet, its images and its load. All times are in seconds, all sizes in bytes.
package struct FleetSettings: Sendable {
    package var seed: UInt64 = 1
    package var machines = 30
    /// Requests a second of the whole fleet, which a load balancer gives to machines at random.
    package var rate = 600.0
    package var duration = 300.0
    /// Requests before this time are not counted.
    package var warmUp = 0.0

    package var images = 20_000
    /// The exponent of Zipf's law: the image of rank r is requested in proportion to 1 / r^exponent.
    package var popularity = 0.9
    /// Files are log-normal: median, and standard deviation of the logarithm.
    package var medianSize = 20_000.0
    package var sizeSpread = 0.8
    /// The share of images that the origin answers with 404.
    package var missing = 0.0
    /// How long the failures of missing images are remembered; 0 for not at all.
    package var negativeLifetime = 0.0
    /// How long the files are valid; 0 for the tier's maximum.
    package var lifetime = 0.0
    package var tags: [String] = []

    /// The origin answers after `originLatency` and an exponential time of the same mean.
    package var originLatency = 0.05
    /// The processor time to make an image of its original.
    package var buildTime = 0.06
    package var cores = 4
    package var memory = 16 << 20
    package var disk = 128 << 20

    package var isShared = true
    package var cluster = ClusterSettings()
    package var tier = RedisTierOptions()
    package var events: [FleetEvent] = []

    package init() {}

    package func with(_ change: (inout FleetSettings) -> Void) -> FleetSettings {
        var copy = self
        change(&copy)
        return copy
    }
}

/// A failure on the way.
package struct FleetEvent: Sendable {
    package enum Kind: Sendable {
        /// The first machines are lost, and replaced by empty ones when they return.
        case loseMachines(Int)
        case returnMachines(Int)
        /// The first primaries are lost.
        case loseNodes(Int)
        case returnNodes(Int)
        case invalidate(tag: String)
        /// All entries of the engine lose their last byte.
        case truncateEntries
    }

    package let time: Double
    package let kind: Kind

    package init(at time: Double, _ kind: Kind) { (self.time, self.kind) = (time, kind) }
}

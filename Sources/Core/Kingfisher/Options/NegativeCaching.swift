import Foundation

/// How long a manager remembers that a source has no image.
///
///     let options: KingfisherOptionsInfo = [.negativeCaching(NegativeCaching(duration: 300))]
///
/// See `KingfisherOptionsInfoItem.negativeCaching`.
public struct NegativeCaching: Sendable, Hashable {
    /// The time in seconds for which a failure is remembered; 60 by default. 0, negative values and NaN mean
    /// that nothing is remembered; values above a year count as a year.
    public var duration: TimeInterval
    /// The random deviation of each duration, as a fraction of it in 0...1; 0.1 by default. It prevents
    /// failures that were remembered together from expiring together.
    public var jitter: Double

    /// Makes the option.
    ///
    /// - Parameters:
    ///   - duration: The time in seconds for which a failure is remembered.
    ///   - jitter: The random deviation of each duration, as a fraction of it in 0...1.
    public init(duration: TimeInterval = 60, jitter: Double = 0.1) {
        self.duration = duration
        self.jitter = jitter
    }

    /// The duration for one failure: `duration` times a random number in `1 - jitter...1 + jitter`.
    func lifetime(using generator: inout some RandomNumberGenerator) -> TimeInterval {
        guard duration > 0 else { return 0 }
        let jitter = jitter.isNaN ? 0 : min(max(jitter, 0), 1)
        return min(duration, 31_536_000) * Double.random(in: (1 - jitter)...(1 + jitter), using: &generator)
    }
}

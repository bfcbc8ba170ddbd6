public import Foundation
import KingfisherTransport

/// How old the response of an image's source was when the image was delivered, and how long it may be used
/// without asking the source.
public struct SourceFreshness: Hashable, Sendable {
    /// The age in seconds (RFC 9111, section 4.2.3), at most 68 years.
    public let age: TimeInterval
    /// The lifetime in seconds, explicit or heuristic (RFC 9111, section 4.2.1), within
    /// ``HTTPFreshnessBounds``; 0 if each use has to be confirmed by the source.
    public let lifetime: TimeInterval
    /// When the source was last modified, if it has said so.
    public let lastModified: Date?

    /// Seconds for which the image may still be used; 0 for a stale one.
    public var remaining: TimeInterval { max(0, lifetime - age) }

    /// Creates a value, for tests and other loaders.
    public init(age: TimeInterval, lifetime: TimeInterval, lastModified: Date? = nil) {
        (self.age, self.lifetime, self.lastModified) = (age, lifetime, lastModified)
    }

    /// Nil for a local file.
    init?(_ freshness: HTTPFreshness?, _ options: KingfisherParsedOptionsInfo, at now: Date) {
        guard let freshness, freshness.fileVersion == nil else { return nil }
        let bounded = options.bounded(freshness)
        self.init(
            age: min(bounded.currentAge(at: now), TimeInterval(1 << 31)),
            lifetime: bounded.directives.noCache ? 0 : bounded.lifetime,
            lastModified: bounded.lastModified.flatMap { HTTPDate.read($0, now: now) })
    }
}

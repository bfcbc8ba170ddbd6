public import Foundation
import KingfisherTransport

/// How a cache may deviate from the cache headers of servers, for services that decide for their own sources.
/// See ``KingfisherOptionsInfoItem/httpFreshnessBounds(_:)``.
public struct HTTPFreshnessBounds: Hashable, Sendable {
    /// Seconds for which an image is fresh at least, even if the response says less, or `no-cache`.
    public var minimumLifetime: TimeInterval
    /// Seconds for which an image is fresh if the response has neither `Cache-Control: max-age`, `Expires`
    /// nor `Last-Modified`.
    public var defaultLifetime: TimeInterval
    /// Whether `Cache-Control: no-store` keeps an image out of the caches.
    public var obeysNoStore: Bool

    /// Creates bounds; by default the rules of RFC 9111, as without the option.
    public init(
        minimumLifetime: TimeInterval = 0, defaultLifetime: TimeInterval = 0, obeysNoStore: Bool = true
    ) {
        self.minimumLifetime = minimumLifetime
        self.defaultLifetime = defaultLifetime
        self.obeysNoStore = obeysNoStore
    }
}

extension KingfisherParsedOptionsInfo {
    func bounded(_ freshness: HTTPFreshness) -> HTTPFreshness {
        let bounds = self.httpFreshnessBounds
        guard bounds != HTTPFreshnessBounds(), freshness.fileVersion == nil else { return freshness }
        return freshness.bounded(
            minimumLifetime: bounds.minimumLifetime, defaultLifetime: bounds.defaultLifetime,
            obeysNoStore: bounds.obeysNoStore)
    }
}

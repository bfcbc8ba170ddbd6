package import Foundation

extension HTTPFreshness {
    /// This record as a cache with rules of its own reads it.
    ///
    /// - Parameters:
    ///   - minimumLifetime: Seconds for which bytes are fresh at least, regardless of the response.
    ///   - defaultLifetime: Seconds for which bytes are fresh without any information about it.
    ///   - obeysNoStore: Whether `no-store` forbids storing.
    package func bounded(
        minimumLifetime: TimeInterval, defaultLifetime: TimeInterval, obeysNoStore: Bool
    ) -> HTTPFreshness {
        guard !isForbidden else { return self }
        var bounded = self
        if !obeysNoStore { bounded.directives.noStore = false }
        let isExplicit = directives.maxAge != nil || expires != nil || directives.noCache
        let hasInformation = isExplicit || allowsHeuristics && lastModified != nil
        let own = directives.noCache ? 0 : hasInformation ? lifetime : defaultLifetime
        let lifetime = max(own, minimumLifetime)
        if lifetime > self.lifetime || lifetime > 0 && directives.noCache {
            bounded.directives.noCache = false
            bounded.directives.maxAge = UInt32(min(max(lifetime, 0), TimeInterval(DeltaSeconds.most)))
        }
        return bounded
    }
}

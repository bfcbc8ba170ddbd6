import Foundation

extension HTTPFreshness {
    /// What is known of bytes to which redirects have led: they are fresh no longer than each of these is, as
    /// the next one may lead elsewhere.
    ///
    /// One for good (301, 308) that says nothing of its lifetime limits nothing. Any other that says nothing
    /// was good for this request only (RFC 9110, 15.4.3, and RFC 9111, 4.2.2), and so is one that varies.
    package func limited(by redirects: [TransportResponse]) -> HTTPFreshness {
        let lifetimes = redirects.compactMap { redirect -> TimeInterval? in
            let freshness = HTTPFreshness(redirect, accept: nil, delay: 0, at: receivedAt)
            let directives = freshness.directives
            if directives.noStore || directives.noCache || freshness.variance != .nothing { return 0 }
            let saysNothing = directives.maxAge == nil && freshness.expires == nil
            if saysNothing, [301, 308].contains(redirect.status) { return nil }
            return max(0, freshness.lifetime - freshness.currentAge(at: receivedAt))
        }
        let age = currentAge(at: receivedAt)
        guard let shortest = lifetimes.min(), age + shortest < lifetime else { return self }
        var limited = self
        limited.directives.maxAge = UInt32(clamping: Int(age + shortest))
        return limited
    }
}

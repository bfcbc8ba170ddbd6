package import Foundation

extension HTTPFreshness {
    /// A redirect on the way to a response.
    package struct Redirect: Sendable {
        fileprivate let freshness: HTTPFreshness
        fileprivate let isForGood: Bool

        /// - Parameters:
        ///   - delay: Seconds from its request, when it was sent, to its head.
        ///   - time: When that came.
        package init(_ response: TransportResponse, delay: TimeInterval, at time: Date) {
            freshness = HTTPFreshness(response, accept: nil, delay: delay, at: time)
            isForGood = [301, 308].contains(response.status)
        }

        /// Whether it has to be asked again each time: a varying one may answer another request (RFC 9111,
        /// 4.1), and one that is kept nowhere cannot be used again.
        fileprivate var isForOneRequest: Bool {
            freshness.directives.noStore || freshness.directives.noCache || freshness.variance != .nothing
        }

        /// One for good that says nothing of its lifetime limits nothing. Any other that says nothing was
        /// good for its request only (RFC 9110, 15.4.3, and RFC 9111, 4.2.2).
        fileprivate var hasEnd: Bool {
            !isForGood || freshness.directives.maxAge != nil || freshness.expires != nil
        }
    }

    /// What is known of bytes to which redirects have led: they may be used no longer than each of these, as
    /// the next one may lead elsewhere, and stale ones only where each that is stale allows it (RFC 5861).
    package func limited(by redirects: [Redirect]) -> HTTPFreshness {
        var limited = directives
        for redirect in redirects {
            if redirect.isForOneRequest { limited.noCache = true }
            if redirect.freshness.directives.mustRevalidate { limited.mustRevalidate = true }
        }
        let age = currentAge(at: receivedAt)
        let ends = redirects.filter(\.hasEnd).map(\.freshness).map {
            Ends(of: $0, later: age - $0.currentAge(at: receivedAt))
        }
        if !ends.isEmpty { limited.end(at: ends.reduce(Ends(of: self), Ends.earlier), insteadOf: lifetime) }
        guard limited != directives else { return self }
        var freshness = self
        (freshness.directives, freshness.ownDirectives) = (limited, directives)
        return freshness
    }
}

/// The ages at which uses of a response end.
private struct Ends {
    let fresh: TimeInterval
    let whileRevalidating: TimeInterval
    let insteadOfError: TimeInterval

    /// - Parameter shift: How much older the response is whose ages are meant.
    init(of freshness: HTTPFreshness, later shift: TimeInterval = 0) {
        fresh = freshness.lifetime + shift
        whileRevalidating = fresh + TimeInterval(freshness.directives.staleWhileRevalidate ?? 0)
        insteadOfError = fresh + TimeInterval(freshness.directives.staleIfError ?? 0)
    }

    private init(fresh: TimeInterval, whileRevalidating: TimeInterval, insteadOfError: TimeInterval) {
        self.fresh = fresh
        self.whileRevalidating = whileRevalidating
        self.insteadOfError = insteadOfError
    }

    static func earlier(_ one: Ends, _ other: Ends) -> Ends {
        Ends(
            fresh: min(one.fresh, other.fresh),
            whileRevalidating: min(one.whileRevalidating, other.whileRevalidating),
            insteadOfError: min(one.insteadOfError, other.insteadOfError))
    }
}

extension CacheDirectives {
    /// Windows of RFC 5861 begin where the lifetime ends: a shorter one makes them longer, to the same end.
    fileprivate mutating func end(at ends: Ends, insteadOf lifetime: TimeInterval) {
        let fresh = max(0, ends.fresh)
        if fresh < lifetime { maxAge = Self.seconds(fresh) }
        staleWhileRevalidate = Self.window(from: fresh, to: ends.whileRevalidating)
        staleIfError = Self.window(from: fresh, to: ends.insteadOfError)
    }

    private static func window(from start: TimeInterval, to end: TimeInterval) -> UInt32? {
        end > start ? seconds(end - start) : nil
    }

    /// Whole ones, rather too few.
    private static func seconds(_ interval: TimeInterval) -> UInt32 {
        UInt32(min(interval, TimeInterval(DeltaSeconds.most)))
    }
}

package import Foundation

extension HTTPFreshness {
    package struct Redirect: Sendable {
        fileprivate let freshness: HTTPFreshness
        fileprivate let isForGood: Bool

        package init(_ response: TransportResponse, delay: TimeInterval, at time: Date) {
            freshness = HTTPFreshness(response, accept: nil, delay: delay, at: time)
            isForGood = [301, 308].contains(response.status)
        }

        /// Whether the redirect must be revalidated each time: a varying one may be for another request (RFC
        /// 9111, 4.1), and one that may not be stored cannot be reused.
        fileprivate var isForOneRequest: Bool {
            freshness.directives.noStore || freshness.directives.noCache || freshness.variance != .nothing
        }

        /// Whether the redirect restricts the lifetime. A permanent redirect without an explicit lifetime
        /// does not. Any other without one was valid for its request only (RFC 9110, 15.4.3, and RFC 9111,
        /// 4.2.2).
        fileprivate var hasEnd: Bool {
            !isForGood || freshness.directives.maxAge != nil || freshness.expires != nil
        }
    }

    /// The freshness of bytes after redirects. They are fresh no longer than each redirect, because the next
    /// response may redirect elsewhere. Stale ones may be used only if every stale redirect allows it (RFC
    /// 5861).
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

private struct Ends {
    let fresh: TimeInterval
    let whileRevalidating: TimeInterval
    let insteadOfError: TimeInterval

    /// - Parameter shift: How much older the target response is.
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
    /// The windows of RFC 5861 start at the end of the lifetime, so a shorter lifetime lengthens them to the
    /// same end.
    fileprivate mutating func end(at ends: Ends, insteadOf lifetime: TimeInterval) {
        let fresh = max(0, ends.fresh)
        if fresh < lifetime { maxAge = Self.seconds(fresh) }
        staleWhileRevalidate = Self.window(from: fresh, to: ends.whileRevalidating)
        staleIfError = Self.window(from: fresh, to: ends.insteadOfError)
    }

    private static func window(from start: TimeInterval, to end: TimeInterval) -> UInt32? {
        end > start ? seconds(end - start) : nil
    }

    private static func seconds(_ interval: TimeInterval) -> UInt32 {
        UInt32(min(interval, TimeInterval(DeltaSeconds.most)))
    }
}

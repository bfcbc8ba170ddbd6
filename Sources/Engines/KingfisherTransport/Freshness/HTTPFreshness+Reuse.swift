package import Foundation

extension HTTPFreshness {
    /// How stored bytes may be used (RFC 9111, 4; RFC 5861, 3).
    package enum Reuse: Sendable, Equatable {
        case fresh
        case staleWhileRevalidate
        case revalidate
        /// They belong to another request (RFC 9111, 4.1), or must not be stored.
        case unusable
    }

    package enum RequestAccept: Sendable, Equatable {
        case known(String?)
        /// A request modifier that has not run yet may change it.
        case unknown
    }

    package enum Failure: Sendable, Equatable {
        /// The server was not reached, or the response was incomplete.
        case disconnected
        /// The server failed: status 500, 502, 503 or 504 (RFC 5861, 4), or a response that is not HTTP.
        case serverError
        case other
    }

    package var isStorable: Bool { !directives.noStore }

    package func reuse(for accept: RequestAccept, at now: Date) -> Reuse {
        if directives.noStore { return .unusable }
        if directives.noCache || variance == .other { return .revalidate }
        if variance == .accept {
            guard case .known(let accept) = accept else { return .revalidate }
            if accept != self.accept { return .unusable }
        }
        let staleness = staleness(at: now)
        if staleness < 0 { return .fresh }
        if !directives.mustRevalidate, isWithin(directives.staleWhileRevalidate, staleness) {
            return .staleWhileRevalidate
        }
        return .revalidate
    }

    /// Whether stale bytes may be used instead of a response (RFC 9111, 4.2.4).
    ///
    /// A disconnected cache may use them; after a server error, `stale-if-error` must allow it (RFC 5861, 4).
    /// Bytes that may belong to another request must never be used (RFC 9111, 4.1).
    package func allowsStale(for accept: RequestAccept, after failure: Failure, at now: Date) -> Bool {
        guard !directives.noCache, !directives.mustRevalidate, !directives.noStore, matches(accept) else {
            return false
        }
        return switch failure {
        case .disconnected: true
        case .serverError: isWithin(directives.staleIfError, staleness(at: now))
        case .other: false
        }
    }

    /// Whether the bytes belong to a request, by what they vary on (RFC 9111, 4.1).
    package func matches(_ accept: RequestAccept) -> Bool {
        switch variance {
        case .nothing: true
        case .accept: accept == .known(self.accept)
        case .other: false
        }
    }

    private func isWithin(_ window: UInt32?, _ staleness: TimeInterval) -> Bool {
        window.map { staleness < TimeInterval($0) } ?? false
    }

    /// Seconds since the end of the lifetime, negative before it. The response is stale from 0 on.
    private func staleness(at now: Date) -> TimeInterval { currentAge(at: now) - lifetime }

    /// The age in seconds (RFC 9111, 4.2.3); `age` includes the duration of the exchange.
    ///
    /// A response from the future, caused by a wrong clock, has the age that `Date` implies, or an infinite
    /// age without `Date`: it must not stay fresh until the clock has caught up.
    package func currentAge(at now: Date) -> TimeInterval {
        if receivedAt.timeIntervalSince(now) > Self.clockTolerance {
            return date.map { max(TimeInterval(age), now.timeIntervalSince($0)) } ?? .infinity
        }
        let apparentAge = date.map { max(0, receivedAt.timeIntervalSince($0)) } ?? 0
        return max(apparentAge, TimeInterval(age)) + max(0, now.timeIntervalSince(receivedAt))
    }

    /// The freshness lifetime in seconds: explicit (RFC 9111, 4.2.1) or heuristic (4.2.2).
    package var lifetime: TimeInterval {
        if let maxAge = directives.maxAge { return TimeInterval(maxAge) }
        let sentAt = date ?? receivedAt
        if let expires { return max(0, expires.timeIntervalSince(sentAt)) }
        guard allowsHeuristics, let lastModified, let modified = HTTPDate.read(lastModified, now: receivedAt)
        else {
            return 0
        }
        let guess = sentAt.timeIntervalSince(modified) * Self.heuristicShare
        return min(max(0, guess), Self.longestGuess)
    }

    /// The number of seconds by which a synchronized clock may go back.
    private static let clockTolerance: TimeInterval = 1
    /// The fraction of the time since the last modification that is suggested by RFC 9111, 4.2.2.
    private static let heuristicShare = 0.1
    /// The maximum heuristic lifetime, a day: without explicit information, even an image that has not
    /// changed for years is revalidated daily.
    private static let longestGuess: TimeInterval = 86_400
}

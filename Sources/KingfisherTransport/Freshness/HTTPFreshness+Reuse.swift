package import Foundation

extension HTTPFreshness {
    /// What may be done with bytes that are at hand.
    package enum Reuse: Sendable, Equatable {
        /// Use them (RFC 9111, 4.2).
        case fresh
        /// Use them, and ask the server meanwhile (RFC 5861, 3).
        case staleWhileRevalidate
        /// Ask the server first (RFC 9111, 4.3).
        case revalidate
        /// They answer another request (RFC 9111, 4.1), or were not to be kept.
        case unusable
    }

    /// The `Accept` of the request to be answered.
    package enum RequestAccept: Sendable, Equatable {
        case known(String?)
        /// Something that has not run yet has the last word.
        case unknown
    }

    /// Why the server has not answered the question.
    package enum Failure: Sendable, Equatable {
        /// It was not reached, or the answer never came whole.
        case disconnected
        /// It was reached and could not help: 500, 502, 503 or 504 (RFC 5861, 4), or what is not HTTP.
        case serverError
        case other
    }

    /// Whether a cache may keep the response.
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

    /// Whether stale bytes may be used in place of an answer (RFC 9111, 4.2.4).
    ///
    /// A cache that is disconnected may do so by itself, and otherwise where `stale-if-error` says so (RFC
    /// 5861, 4); never with what may answer another request (RFC 9111, 4.1).
    package func allowsStale(for accept: RequestAccept, after failure: Failure, at now: Date) -> Bool {
        guard !directives.noCache, !directives.mustRevalidate, !directives.noStore, answers(accept) else {
            return false
        }
        return switch failure {
        case .disconnected: true
        case .serverError: isWithin(directives.staleIfError, staleness(at: now))
        case .other: false
        }
    }

    /// Whether the request is known to be one that the response answers.
    private func answers(_ accept: RequestAccept) -> Bool {
        switch variance {
        case .nothing: true
        case .accept: accept == .known(self.accept)
        case .other: false
        }
    }

    private func isWithin(_ window: UInt32?, _ staleness: TimeInterval) -> Bool {
        window.map { staleness < TimeInterval($0) } ?? false
    }

    /// Seconds since the end of the lifetime; less than 0 before it. What has as many as its
    /// lifetime is stale.
    private func staleness(at now: Date) -> TimeInterval { currentAge(at: now) - lifetime }

    /// RFC 9111, 4.2.3; the time that the exchange took is part of `age`.
    ///
    /// What came in the future, because the clock was wrong then or is now, is as old as `Date` says, and
    /// without one of any age: it must not stay fresh until the clock has caught up.
    package func currentAge(at now: Date) -> TimeInterval {
        if receivedAt.timeIntervalSince(now) > Self.clockTolerance {
            return date.map { max(TimeInterval(age), now.timeIntervalSince($0)) } ?? .infinity
        }
        let apparentAge = date.map { max(0, receivedAt.timeIntervalSince($0)) } ?? 0
        return max(apparentAge, TimeInterval(age)) + max(0, now.timeIntervalSince(receivedAt))
    }

    /// Seconds for which the response is fresh: what it says itself (RFC 9111, 4.2.1), or a guess (4.2.2).
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

    /// Seconds that a clock which is being kept right may go back.
    private static let clockTolerance: TimeInterval = 1
    /// The share of its age at which something is taken to stay as it is, as RFC 9111, 4.2.2 names it.
    private static let heuristicShare = 0.1
    /// A day: where nobody has said anything, an image that has not changed in years is still
    /// asked for daily.
    private static let longestGuess: TimeInterval = 86_400
}

/// The maximum rate of requests to one host (scheme, host and port).
///
/// After a pause, ``burst`` requests may start at once. Further ones wait in the ``QueuedTransport`` and
/// start at intervals of `1 / requestsPerSecond`. Requests to other hosts do not wait for them. Each exchange
/// counts, thus also each hop of a redirect, for the host to which it is sent.
public struct RequestRate: Sendable, Hashable {
    /// No limit, but no request is sent to a host while it refuses requests (429, or 503 with `Retry-After`).
    public static let unlimited = RequestRate(requestsPerSecond: .infinity)

    /// The rate over a longer time. Values below 0.001 count as 0.001; infinity and NaN mean no limit.
    public var requestsPerSecond: Double
    /// The number of requests that may start at once. Values below 1 count as 1.
    public var burst: Int

    public init(requestsPerSecond: Double, burst: Int = 1) {
        self.requestsPerSecond = requestsPerSecond
        self.burst = burst
    }

    /// The time between two requests; nil for no limit.
    var interval: Duration? {
        guard requestsPerSecond < .infinity else { return nil }
        return .seconds(1 / max(requestsPerSecond, 0.001))
    }

    /// How far ahead of an even rate a burst may be.
    var lead: Duration {
        guard let interval else { return .zero }
        return interval * (min(max(burst, 1), 1_000_000) - 1)
    }
}

/// Decides when the map of a cluster may be read again: 100 ms after a success; after failures twice
/// as long each time, up to 5 s, with a jitter of 20 %.
struct RefreshSchedule: Sendable {
    typealias Instant = ContinuousClock.Instant

    private var failures = 0
    private var next: Instant?

    func permits(at now: Instant) -> Bool { next.map { now >= $0 } ?? true }

    /// - Parameter jitter: A random number from 0.8 to 1.2.
    mutating func end(success: Bool, at now: Instant, jitter: Double) {
        failures = success ? 0 : min(failures + 1, 6)
        next = now + min(.seconds(5), .milliseconds(100) * (1 << failures)) * jitter
    }
}

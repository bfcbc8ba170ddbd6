import Foundation

/// Decides when entries expire and when they are replaced. Random numbers are passed in.
struct LifetimePolicy {
    let maximum: Duration
    let freshFraction: Double
    let earlyRenewal: Double

    /// The expirations of an entry; nil if it is expired already.
    ///
    /// - Parameter random: A number from 0 to 1, which shortens the lifetime by at most a tenth, so that
    ///   entries that were written together do not expire together.
    func expirations(from now: Date, latest: Date, random: Double) -> (soft: Date, hard: Date)? {
        let lifetime = min(maximum.seconds, latest.timeIntervalSince(now)) * (1 - 0.1 * random)
        guard lifetime >= 0.001 else { return nil }
        return (
            now.addingTimeInterval(lifetime * min(1, max(0, freshFraction))),
            now.addingTimeInterval(lifetime)
        )
    }

    /// Whether a read should replace the entry: always after the soft expiration, before it with a
    /// probability that grows with the time that it takes to make the entry (XFetch: Vattani, Chierichetti
    /// and Lowenstein, "Optimal Probabilistic Cache Stampede Prevention", 2015).
    ///
    /// - Parameter random: A number greater than 0, at most 1.
    func shouldRenew(_ envelope: TierEnvelope, at now: Date, random: Double) -> Bool {
        let early = envelope.buildTime.seconds * earlyRenewal * -log(random)
        return now.addingTimeInterval(early) >= envelope.softExpiration
    }
}

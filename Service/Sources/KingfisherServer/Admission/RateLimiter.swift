import Synchronization

/// A token bucket for each client: `burst` requests at once, and `rate` a second after that.
///
/// A bucket that is full is not stored. If too many clients have buckets, those that are fullest are dropped.
/// Safe from any thread.
final class RateLimiter: Sendable {
    static let maximumBuckets = 100_000

    private struct Bucket: Sendable {
        var tokens: Double
        var updated: ContinuousClock.Instant
    }

    private let rate: Double
    private let burst: Double
    private let buckets = Mutex<[ClientKey: Bucket]>([:])

    init(rate: Double, burst: Int) { (self.rate, self.burst) = (rate, Double(max(burst, 1))) }

    /// Nil if the client may send a request now; otherwise in how many seconds it may.
    func delay(of client: ClientKey, at now: ContinuousClock.Instant = .now) -> Double? {
        buckets.withLock { buckets in
            var bucket = buckets[client].map { refilled($0, at: now) } ?? Bucket(tokens: burst, updated: now)
            guard bucket.tokens >= 1 else {
                buckets[client] = bucket
                return (1 - bucket.tokens) / rate
            }
            bucket.tokens -= 1
            buckets[client] = bucket
            if buckets.count > Self.maximumBuckets { drop(from: &buckets, at: now) }
            return nil
        }
    }

    private func refilled(_ bucket: Bucket, at now: ContinuousClock.Instant) -> Bucket {
        let seconds = max((now - bucket.updated) / .seconds(1), 0)
        return Bucket(tokens: min(bucket.tokens + seconds * rate, burst), updated: now)
    }

    /// Drops full buckets, and then every second one, at most once for each `maximumBuckets / 2` new clients.
    private func drop(from buckets: inout [ClientKey: Bucket], at now: ContinuousClock.Instant) {
        buckets = buckets.filter { refilled($0.value, at: now).tokens < burst }
        guard buckets.count > Self.maximumBuckets / 2 else { return }
        let kept = buckets.sorted { $0.value.tokens < $1.value.tokens }.prefix(Self.maximumBuckets / 2)
        buckets = Dictionary(uniqueKeysWithValues: Array(kept))
    }
}

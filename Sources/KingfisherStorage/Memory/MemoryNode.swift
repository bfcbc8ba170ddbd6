import Foundation

/// What a memory cache knows of an entry but its key and value, or a vacant place for that.
///
/// Half a line of the processor's cache.
@usableFromInline
struct MemoryNode: Sendable {
    /// Seconds since the reference date.
    @usableFromInline var expires: Double
    @usableFromInline var cost: Int
    @usableFromInline var lifetime: Lifetime
    @usableFromInline var hash: UInt32

    @usableFromInline
    init(hash: UInt32, cost: Int, lifetime: Lifetime, expires: Double) {
        self.expires = expires
        self.cost = cost
        self.lifetime = lifetime
        self.hash = hash
    }
}

/// A `StorageExpiration` as a plain number, for code that reckons on every read.
///
/// Moments are seconds since the reference date of `Date`, and as exact.
@usableFromInline
struct Lifetime: Sendable {
    /// A moment, or how long after the last use.
    @usableFromInline let seconds: Double
    @usableFromInline let isMoment: Bool

    @usableFromInline
    init(_ expiration: StorageExpiration) {
        switch expiration {
        case .seconds(let seconds): (self.seconds, isMoment) = (seconds, false)
        case .days(let days): (seconds, isMoment) = (StorageExpiration.secondsPerDay * Double(days), false)
        case .date(let moment): (seconds, isMoment) = (moment.timeIntervalSinceReferenceDate, true)
        case .never: (seconds, isMoment) = (Date.distantFuture.timeIntervalSinceReferenceDate, true)
        case .expired: (seconds, isMoment) = (Date.distantPast.timeIntervalSinceReferenceDate, true)
        }
    }

    /// The moment at which an entry expires that was used at `now`.
    @inlinable
    func end(from now: Double) -> Double {
        isMoment ? seconds : now + seconds
    }
}

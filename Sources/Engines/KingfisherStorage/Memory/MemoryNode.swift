import Foundation

/// The metadata of an entry in a memory cache, or a vacant slot, in half a cache line. `expires` is in
/// seconds since the reference date of `Date`.
@usableFromInline
struct MemoryNode: Sendable {
    @usableFromInline var expires: Double
    @usableFromInline var cost: Int
    @usableFromInline var lifetime: NodeLifetime
    @usableFromInline var hash: UInt32

    @usableFromInline
    init(hash: UInt32, cost: Int, lifetime: NodeLifetime, expires: Double) {
        self.expires = expires
        self.cost = cost
        self.lifetime = lifetime
        self.hash = hash
    }
}

/// A `StorageExpiration` as a plain number, for the computation on every read: a point in time in seconds
/// since the reference date of `Date` if `isMoment`, otherwise the time to live after the last use in
/// seconds.
@usableFromInline
struct NodeLifetime: Sendable {
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

    @inlinable
    func end(from now: Double) -> Double {
        isMoment ? seconds : now + seconds
    }
}

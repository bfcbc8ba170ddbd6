public import Foundation

/// How long a stored value stays valid.
///
/// A value has expired when its time of expiry is reached, not only after it.
public enum StorageExpiration: Sendable {
    /// The value never expires.
    case never
    /// The value expires this many seconds after it was stored. NaN counts as expired.
    case seconds(TimeInterval)
    /// The value expires this many days of 86,400 seconds after it was stored.
    case days(Int)
    /// The value expires at this date.
    case date(Date)
    /// The value has already expired. Storing it has no effect.
    case expired
}

extension StorageExpiration {
    static let secondsPerDay: TimeInterval = 86_400

    @usableFromInline
    package func estimatedExpirationSince(_ date: Date) -> Date {
        switch self {
        case .never: .distantFuture
        case .seconds(let seconds): date.addingTimeInterval(seconds)
        case .days(let days): date.addingTimeInterval(Self.secondsPerDay * TimeInterval(days))
        case .date(let moment): moment
        case .expired: .distantPast
        }
    }

    /// The lifetime in seconds as of `now`: infinity for `.never`, minus infinity for `.expired`.
    package func timeInterval(at now: Date) -> TimeInterval {
        switch self {
        case .never: .infinity
        case .seconds(let seconds): seconds
        case .days(let days): Self.secondsPerDay * TimeInterval(days)
        case .date(let moment): moment.timeIntervalSince(now)
        case .expired: -.infinity
        }
    }

    package func isExpired(at now: Date) -> Bool {
        !(timeInterval(at: now) > 0)
    }

    package var timeInterval: TimeInterval { timeInterval(at: Date()) }

    package var isExpired: Bool { isExpired(at: Date()) }
}

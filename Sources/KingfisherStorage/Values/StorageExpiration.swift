public import Foundation

/// How long a stored value stays valid.
///
/// A moment counts as expired as soon as it is reached: what expires now has expired.
public enum StorageExpiration: Sendable {
    /// The value never expires.
    case never
    /// The value expires so many seconds after it was stored; not a number counts as expired.
    case seconds(TimeInterval)
    /// The value expires so many days of 86,400 seconds after it was stored.
    case days(Int)
    /// The value expires at this moment.
    case date(Date)
    /// The value has expired already, so storing it stores nothing.
    case expired
}

extension StorageExpiration {
    static let secondsPerDay: TimeInterval = 86_400

    /// The moment of expiry of a value whose lifetime begins at `date`.
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

    /// The lifetime in seconds, seen at `now`: infinite for `.never`, minus infinity for `.expired`.
    package func timeInterval(at now: Date) -> TimeInterval {
        switch self {
        case .never: .infinity
        case .seconds(let seconds): seconds
        case .days(let days): Self.secondsPerDay * TimeInterval(days)
        case .date(let moment): moment.timeIntervalSince(now)
        case .expired: -.infinity
        }
    }

    /// Whether a value stored at `now` would be expired at once.
    package func isExpired(at now: Date) -> Bool {
        !(timeInterval(at: now) > 0)
    }

    /// The lifetime in seconds, seen now.
    package var timeInterval: TimeInterval { timeInterval(at: Date()) }

    /// Whether a value stored now would be expired at once.
    package var isExpired: Bool { isExpired(at: Date()) }
}

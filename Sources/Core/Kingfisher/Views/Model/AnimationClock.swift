public import Foundation

/// The time source of a view's animations.
///
/// A toolkit provides its frame clock; a test provides a manual one.
@MainActor public protocol AnimationClock: AnyObject {
    /// Seconds since a fixed moment; monotonic.
    var now: TimeInterval { get }
}

/// The system's monotonic clock.
public final class MonotonicAnimationClock: AnimationClock {
    /// Creates a clock; callable from any thread.
    nonisolated public init() {}

    /// Seconds since a fixed moment; monotonic.
    public var now: TimeInterval {
        // Not `Date`: a correction of the wall clock would make a running animation jump.
        ProcessInfo.processInfo.systemUptime
    }
}

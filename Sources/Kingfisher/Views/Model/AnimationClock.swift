public import Foundation

/// Where the time of a view's animations comes from.
///
/// A toolkit gives its frame clock; a test gives one that stands still until told.
@MainActor public protocol AnimationClock: AnyObject {
    /// Seconds since some fixed moment; never runs backwards.
    var now: TimeInterval { get }
}

/// The system's monotonic clock.
public final class MonotonicAnimationClock: AnimationClock {
    /// Makes the clock; usable from any thread, read on the main actor.
    nonisolated public init() {}

    /// Seconds since some moment before; never goes back.
    public var now: TimeInterval {
        // Not `Date`: a correction of the wall clock would make a running fade jump.
        ProcessInfo.processInfo.systemUptime
    }
}

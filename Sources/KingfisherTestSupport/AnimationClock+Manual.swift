public import Foundation
public import Kingfisher

/// An animation clock that stands still until it is told otherwise, so that any moment of a transition can be
/// looked at.
///
///     let clock = ManualAnimationClock()
///     imageView.clock = clock
///     clock.advance(by: 0.5)
public final class ManualAnimationClock: AnimationClock {
    /// Seconds since the clock was made.
    public private(set) var now: TimeInterval = 0

    /// Makes a clock that stands at 0; from any thread.
    nonisolated public init() {}

    /// Moves the clock on by `seconds`; negative values count as 0.
    ///
    /// Views notice before their next frame, or when `View.advance()` is called.
    public func advance(by seconds: TimeInterval) {
        now += max(seconds, 0)
    }
}

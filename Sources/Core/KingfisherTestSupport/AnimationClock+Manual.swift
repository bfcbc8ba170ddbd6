public import Foundation
public import Kingfisher

/// An animation clock that advances only on request, so that tests can check any moment of a transition.
///
///     let clock = ManualAnimationClock()
///     imageView.clock = clock
///     clock.advance(by: 0.5)
public final class ManualAnimationClock: AnimationClock {
    /// Seconds since the clock was created.
    public private(set) var now: TimeInterval = 0

    /// Creates a clock at 0. May be called from any thread.
    nonisolated public init() {}

    /// Advances the clock by `seconds`; negative values count as 0.
    ///
    /// Views update with their next frame, or when `View.advance()` is called.
    public func advance(by seconds: TimeInterval) {
        now += max(seconds, 0)
    }
}

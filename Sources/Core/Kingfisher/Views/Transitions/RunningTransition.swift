public import Foundation
public import KingfisherImage

/// A running transition, with all that a toolkit needs to draw any moment of it.
public struct RunningTransition: Sendable {
    /// What was shown before.
    public enum Origin: Sendable {
        /// An image; nil for none.
        case image(Image?)
        /// A snapshot of a view with subviews.
        case snapshot(any ViewSnapshot)
    }

    /// What was shown before.
    public let origin: Origin
    /// The new image; nil for none.
    public let image: Image?
    /// The effect.
    public let effect: TransitionEffect
    let presentation: (from: ViewPresentation, to: ViewPresentation)
    let curve: AnimationCurve
    let start: TimeInterval
    let duration: TimeInterval

    /// Returns the progress at `time` (in seconds of the view's clock), from 0 to 1, along the curve.
    public func progress(at time: TimeInterval) -> Double {
        guard duration > 0 else { return 1 }
        return curve.progress(at: (time - start) / duration)
    }

    /// The presentation at `time` of a view whose properties are `current`.
    ///
    /// Properties that the transition changes are interpolated to their current value. Others have their
    /// current value, so that later changes are visible immediately.
    func presentation(of current: ViewPresentation, at time: TimeInterval) -> ViewPresentation {
        let moving = presentation.from.interpolated(to: current, at: progress(at: time))
        return ViewPresentation(
            alpha: presentation.from.alpha == presentation.to.alpha ? current.alpha : moving.alpha,
            transform: presentation.from.transform == presentation.to.transform
                ? current.transform : moving.transform)
    }
}

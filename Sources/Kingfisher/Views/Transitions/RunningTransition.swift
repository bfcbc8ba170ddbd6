public import Foundation
public import KingfisherImage

/// A transition under way: all that a toolkit needs to draw any moment of it.
public struct RunningTransition: Sendable {
    /// What was shown before.
    public enum Origin: Sendable {
        /// This image; nil for none.
        case image(Image?)
        /// A view with subviews, as its renderer kept it.
        case snapshot(any ViewSnapshot)
    }

    /// What was shown before.
    public let origin: Origin
    /// The image that will be shown; nil for none.
    public let image: Image?
    /// What the eye sees on the way.
    public let effect: TransitionEffect
    /// How the view was drawn before, and what the transition's changes made of that.
    let presentation: (from: ViewPresentation, to: ViewPresentation)
    let curve: AnimationCurve
    let start: TimeInterval
    let duration: TimeInterval

    /// How far it has come at `time` (seconds of the view's clock): from 0 to 1, along its curve.
    public func progress(at time: TimeInterval) -> Double {
        guard duration > 0 else { return 1 }
        return curve.progress(at: (time - start) / duration)
    }

    /// How to draw at `time` a view whose own properties are `current`.
    ///
    /// What the transition moves goes on from where it was to where the view has it now; what it does not
    /// move is as the view has it, so that a change made on the way shows at once.
    func presentation(of current: ViewPresentation, at time: TimeInterval) -> ViewPresentation {
        let moving = presentation.from.interpolated(to: current, at: progress(at: time))
        return ViewPresentation(
            alpha: presentation.from.alpha == presentation.to.alpha ? current.alpha : moving.alpha,
            transform: presentation.from.transform == presentation.to.transform
                ? current.transform : moving.transform)
    }
}

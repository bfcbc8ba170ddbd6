public import Foundation
public import KingfisherImage

/// How a view goes from the image it shows to the one that has been loaded.
public enum ImageTransition: Sendable {
    /// At once.
    case none
    /// The old image melts into the new one within so many seconds.
    case fade(TimeInterval)
    /// The view turns over within so many seconds, its left side towards the beholder.
    case flipFromLeft(TimeInterval)
    /// The view turns over within so many seconds, its right side towards the beholder.
    case flipFromRight(TimeInterval)
    /// The view turns over within so many seconds, its upper side towards the beholder.
    case flipFromTop(TimeInterval)
    /// The view turns over within so many seconds, its lower side towards the beholder.
    case flipFromBottom(TimeInterval)
    /// What the closure changes of the view (`alpha`, `transform`, `image`) goes over from its old state to
    /// the new one within so many seconds, by the options' effect and curve.
    ///
    /// The view has its new image already when `animations` runs. `completion` hears whether the transition
    /// ran its time. Both run on the main actor.
    case custom(
        duration: TimeInterval, options: AnimationOptions,
        animations: (@MainActor @Sendable (KFCrossPlatformImageView, KFCrossPlatformImage) -> Void)?,
        completion: (@MainActor @Sendable (Bool) -> Void)?)

    /// How long it takes, in seconds.
    public var duration: TimeInterval {
        switch self {
        case .none: 0
        case .fade(let duration), .flipFromLeft(let duration), .flipFromRight(let duration),
            .flipFromTop(let duration), .flipFromBottom(let duration), .custom(let duration, _, _, _):
            // In this order, not a number counts as 0, too.
            max(0, duration)
        }
    }
}

extension ImageTransition {
    /// What the eye sees.
    var effect: TransitionEffect {
        switch self {
        case .none: .none
        case .fade: .crossDissolve
        case .flipFromLeft: .flip(.fromLeft)
        case .flipFromRight: .flip(.fromRight)
        case .flipFromTop: .flip(.fromTop)
        case .flipFromBottom: .flip(.fromBottom)
        case .custom(_, let options, _, _): options.effect
        }
    }

    /// How it moves: a fade evenly; a card, which has weight, starts and stops gently.
    var curve: AnimationCurve {
        switch self {
        case .none, .fade: .linear
        case .flipFromLeft, .flipFromRight, .flipFromTop, .flipFromBottom: .easeInOut
        case .custom(_, let options, _, _): options.curve
        }
    }
}

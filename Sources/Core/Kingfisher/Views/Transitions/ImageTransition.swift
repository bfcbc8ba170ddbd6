public import Foundation
public import KingfisherImage

/// The transition from the current image of a view to the loaded one.
///
/// In a right-to-left layout, flips from the left and from the right are exchanged. If the user has turned
/// animations off, transitions end immediately; see `View.motion`.
public enum ImageTransition: Sendable {
    /// No transition.
    case none
    /// The old image dissolves into the new one; the duration is in seconds.
    case fade(TimeInterval)
    /// The view flips, its left side towards the viewer; the duration is in seconds.
    case flipFromLeft(TimeInterval)
    /// The view flips, its right side towards the viewer; the duration is in seconds.
    case flipFromRight(TimeInterval)
    /// The view flips, its upper side towards the viewer; the duration is in seconds.
    case flipFromTop(TimeInterval)
    /// The view flips, its lower side towards the viewer; the duration is in seconds.
    case flipFromBottom(TimeInterval)
    /// Animates the changes that the closure makes to the view (`alpha`, `transform`, `image`), with the
    /// effect and curve of the options. The duration is in seconds.
    ///
    /// The view already has its new image when `animations` runs. `completion` receives whether the
    /// transition ran for its full duration. Both run on the main actor.
    case custom(
        duration: TimeInterval, options: AnimationOptions,
        animations: (@MainActor @Sendable (KFCrossPlatformImageView, KFCrossPlatformImage) -> Void)?,
        completion: (@MainActor @Sendable (Bool) -> Void)?)

    /// The duration in seconds.
    public var duration: TimeInterval {
        switch self {
        case .none: 0
        case .fade(let duration), .flipFromLeft(let duration), .flipFromRight(let duration),
            .flipFromTop(let duration), .flipFromBottom(let duration), .custom(let duration, _, _, _):
            // In this argument order, NaN also gives 0.
            max(0, duration)
        }
    }
}

extension ImageTransition {
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

    var curve: AnimationCurve {
        switch self {
        case .none, .fade: .linear
        case .flipFromLeft, .flipFromRight, .flipFromTop, .flipFromBottom: .easeInOut
        case .custom(_, let options, _, _): options.curve
        }
    }
}

/// How a custom transition runs; UIKit's names and numbers.
///
/// Of these a transition follows its curve (`curve...`) and its effect (`transition...`); the others are
/// there so that shared code compiles, and change nothing.
public struct AnimationOptions: OptionSet, Hashable, Sendable {
    /// Flags in the lower bits; curve, effect and frame rate as numbers in the upper ones.
    public let rawValue: UInt

    /// The options of this number; what has no name here is kept.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// Changes nothing: subviews are always laid out.
    public static let layoutSubviews = AnimationOptions(rawValue: 1 << 0)
    /// Changes nothing: a view can be used at any moment of a transition.
    public static let allowUserInteraction = AnimationOptions(rawValue: 1 << 1)
    /// Changes nothing: a transition always begins where the view is.
    public static let beginFromCurrentState = AnimationOptions(rawValue: 1 << 2)
    /// Changes nothing: a transition runs once.
    public static let `repeat` = AnimationOptions(rawValue: 1 << 3)
    /// Changes nothing: a transition runs forwards.
    public static let autoreverse = AnimationOptions(rawValue: 1 << 4)
    /// Changes nothing: a transition inherits no duration.
    public static let overrideInheritedDuration = AnimationOptions(rawValue: 1 << 5)
    /// Changes nothing: a transition inherits no curve.
    public static let overrideInheritedCurve = AnimationOptions(rawValue: 1 << 6)
    /// Changes nothing: images that play go on playing.
    public static let allowAnimatedContent = AnimationOptions(rawValue: 1 << 7)
    /// Changes nothing: one view goes over from image to image, none is removed.
    public static let showHideTransitionViews = AnimationOptions(rawValue: 1 << 8)
    /// Changes nothing: a transition inherits no options.
    public static let overrideInheritedOptions = AnimationOptions(rawValue: 1 << 9)

    /// Slow at both ends; what holds when no curve is named.
    public static let curveEaseInOut: AnimationOptions = []
    /// Slow at the beginning.
    public static let curveEaseIn = AnimationOptions(rawValue: 1 << 16)
    /// Slow at the end.
    public static let curveEaseOut = AnimationOptions(rawValue: 2 << 16)
    /// Evenly.
    public static let curveLinear = AnimationOptions(rawValue: 3 << 16)

    /// The view turns over, its left side towards the beholder.
    public static let transitionFlipFromLeft = AnimationOptions(rawValue: 1 << 20)
    /// The view turns over, its right side towards the beholder.
    public static let transitionFlipFromRight = AnimationOptions(rawValue: 2 << 20)
    /// Drawn as `transitionCrossDissolve`: paper does not curl here.
    public static let transitionCurlUp = AnimationOptions(rawValue: 3 << 20)
    /// Drawn as `transitionCrossDissolve`: paper does not curl here.
    public static let transitionCurlDown = AnimationOptions(rawValue: 4 << 20)
    /// The old image melts into the new one.
    public static let transitionCrossDissolve = AnimationOptions(rawValue: 5 << 20)
    /// The view turns over, its upper side towards the beholder.
    public static let transitionFlipFromTop = AnimationOptions(rawValue: 6 << 20)
    /// The view turns over, its lower side towards the beholder.
    public static let transitionFlipFromBottom = AnimationOptions(rawValue: 7 << 20)

    /// Changes nothing: the screen decides on the frame rate.
    public static let preferredFramesPerSecond60 = AnimationOptions(rawValue: 3 << 24)
    /// Changes nothing: the screen decides on the frame rate.
    public static let preferredFramesPerSecond30 = AnimationOptions(rawValue: 7 << 24)
}

extension AnimationOptions {
    /// The curve that the options name.
    var curve: AnimationCurve {
        switch rawValue >> 16 & 0xf {
        case 1: .easeIn
        case 2: .easeOut
        case 3: .linear
        default: .easeInOut
        }
    }

    /// The effect that the options name.
    var effect: TransitionEffect {
        switch rawValue >> 20 & 0xf {
        case 1: .flip(.fromLeft)
        case 2: .flip(.fromRight)
        case 3, 4, 5: .crossDissolve
        case 6: .flip(.fromTop)
        case 7: .flip(.fromBottom)
        default: .none
        }
    }
}

/// The options of a custom transition, with UIKit's names and raw values.
///
/// Only the curve (`curve...`) and the effect (`transition...`) are used. The others exist for source
/// compatibility and have no effect.
public struct AnimationOptions: OptionSet, Hashable, Sendable {
    /// Flags in the lower bits; curve, effect and frame rate as numbers in the upper bits.
    public let rawValue: UInt

    /// Creates options from a raw value; unknown bits are retained.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// No effect: subviews are always laid out.
    public static let layoutSubviews = AnimationOptions(rawValue: 1 << 0)
    /// No effect: a view can always be used during a transition.
    public static let allowUserInteraction = AnimationOptions(rawValue: 1 << 1)
    /// No effect: a transition always starts at the current state.
    public static let beginFromCurrentState = AnimationOptions(rawValue: 1 << 2)
    /// No effect: a transition runs once.
    public static let `repeat` = AnimationOptions(rawValue: 1 << 3)
    /// No effect: a transition runs forwards.
    public static let autoreverse = AnimationOptions(rawValue: 1 << 4)
    /// No effect: a transition inherits no duration.
    public static let overrideInheritedDuration = AnimationOptions(rawValue: 1 << 5)
    /// No effect: a transition inherits no curve.
    public static let overrideInheritedCurve = AnimationOptions(rawValue: 1 << 6)
    /// No effect: animated images always continue to play.
    public static let allowAnimatedContent = AnimationOptions(rawValue: 1 << 7)
    /// No effect: a transition changes the image of one view and removes no view.
    public static let showHideTransitionViews = AnimationOptions(rawValue: 1 << 8)
    /// No effect: a transition inherits no options.
    public static let overrideInheritedOptions = AnimationOptions(rawValue: 1 << 9)

    /// Slow at both ends; the default curve.
    public static let curveEaseInOut: AnimationOptions = []
    /// Slow at the start.
    public static let curveEaseIn = AnimationOptions(rawValue: 1 << 16)
    /// Slow at the end.
    public static let curveEaseOut = AnimationOptions(rawValue: 2 << 16)
    /// At constant speed.
    public static let curveLinear = AnimationOptions(rawValue: 3 << 16)

    /// The view flips, its left side towards the viewer.
    public static let transitionFlipFromLeft = AnimationOptions(rawValue: 1 << 20)
    /// The view flips, its right side towards the viewer.
    public static let transitionFlipFromRight = AnimationOptions(rawValue: 2 << 20)
    /// Drawn as `transitionCrossDissolve`: page curls are not supported.
    public static let transitionCurlUp = AnimationOptions(rawValue: 3 << 20)
    /// Drawn as `transitionCrossDissolve`: page curls are not supported.
    public static let transitionCurlDown = AnimationOptions(rawValue: 4 << 20)
    /// The old image dissolves into the new one.
    public static let transitionCrossDissolve = AnimationOptions(rawValue: 5 << 20)
    /// The view flips, its upper side towards the viewer.
    public static let transitionFlipFromTop = AnimationOptions(rawValue: 6 << 20)
    /// The view flips, its lower side towards the viewer.
    public static let transitionFlipFromBottom = AnimationOptions(rawValue: 7 << 20)

    /// No effect: the screen determines the frame rate.
    public static let preferredFramesPerSecond60 = AnimationOptions(rawValue: 3 << 24)
    /// No effect: the screen determines the frame rate.
    public static let preferredFramesPerSecond30 = AnimationOptions(rawValue: 7 << 24)
}

extension AnimationOptions {
    var curve: AnimationCurve {
        switch rawValue >> 16 & 0xf {
        case 1: .easeIn
        case 2: .easeOut
        case 3: .linear
        default: .easeInOut
        }
    }

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

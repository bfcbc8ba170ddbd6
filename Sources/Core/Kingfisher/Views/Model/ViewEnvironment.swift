public import KingfisherImage

/// The user's settings and the layout direction that apply to a view, provided by the toolkit.
public struct ViewEnvironment: Hashable, Sendable {
    /// Whether the user has turned animations off.
    public var reducesMotion: Bool
    /// The appearance that selects variants of images; see `Image.withVariants`.
    public var appearance: ImageAppearance
    /// The direction in which the view is laid out.
    public var layoutDirection: LayoutDirection

    /// Creates an environment; without arguments, the environment of a user who has changed nothing.
    public init(
        reducesMotion: Bool = false, appearance: ImageAppearance = ImageAppearance(),
        layoutDirection: LayoutDirection = .leftToRight
    ) {
        self.reducesMotion = reducesMotion
        self.appearance = appearance
        self.layoutDirection = layoutDirection
    }

    /// Animations on, light, normal contrast, from left to right.
    public static let standard = ViewEnvironment()
}

/// The direction of text and layout.
public enum LayoutDirection: Hashable, Sendable {
    /// As in English.
    case leftToRight
    /// As in Arabic or Hebrew.
    case rightToLeft
}

/// Whether a view follows the user's setting for animations.
public enum MotionPolicy: Hashable, Sendable {
    /// If the user has turned animations off, transitions end immediately and animated images show their
    /// first frame.
    case followsSystem
    /// Transitions and animated images run regardless of the user's settings.
    case always
}

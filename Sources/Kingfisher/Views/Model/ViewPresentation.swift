public import Foundation

/// How a view as a whole is drawn at a moment; in the midst of an animation this differs from its properties.
public struct ViewPresentation: Hashable, Sendable {
    /// Opacity of the view with all its subviews, from 0 to 1.
    public var alpha: CGFloat
    /// How the view is moved, scaled and turned about its middle.
    public var transform: CGAffineTransform

    /// A view of this opacity, so transformed.
    public init(alpha: CGFloat, transform: CGAffineTransform) {
        self.alpha = alpha
        self.transform = transform
    }
}

extension ViewPresentation {
    /// The state so far on the way to `other`; 0 is here, 1 is there.
    func interpolated(to other: ViewPresentation, at progress: Double) -> ViewPresentation {
        ViewPresentation(
            alpha: alpha + (other.alpha - alpha) * progress,
            transform: transform.interpolated(to: other.transform, at: progress))
    }
}

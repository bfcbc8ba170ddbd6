public import Foundation

/// How a view is drawn at one moment. During an animation, this differs from the view's properties.
public struct ViewPresentation: Hashable, Sendable {
    /// The opacity of the view and all its subviews, from 0 to 1.
    public var alpha: CGFloat
    /// The transform of the view about its centre.
    public var transform: CGAffineTransform

    /// Creates a presentation.
    public init(alpha: CGFloat, transform: CGAffineTransform) {
        self.alpha = alpha
        self.transform = transform
    }
}

extension ViewPresentation {
    func interpolated(to other: ViewPresentation, at progress: Double) -> ViewPresentation {
        ViewPresentation(
            alpha: alpha + (other.alpha - alpha) * progress,
            transform: transform.interpolated(to: other.transform, at: progress))
    }
}

public import Foundation

/// The properties of a view on screen, provided by the toolkit.
public struct ViewDisplay: Hashable, Sendable {
    /// The size of the view in points; zero before the first layout.
    public var size: CGSize
    /// Screen pixels per point.
    public var scaleFactor: CGFloat
    /// Whether the view is part of a window that is on screen.
    public var isVisible: Bool

    /// Creates a display of `size` points with `scaleFactor` pixels per point.
    public init(size: CGSize, scaleFactor: CGFloat, isVisible: Bool) {
        self.size = size
        self.scaleFactor = scaleFactor
        self.isVisible = isVisible
    }

    /// The display of a view that is not on screen.
    public static let none = ViewDisplay(size: .zero, scaleFactor: 1, isVisible: false)
}

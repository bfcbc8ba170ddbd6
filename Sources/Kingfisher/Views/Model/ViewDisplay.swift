public import Foundation

/// What a toolkit knows about the place of a view on screen.
public struct ViewDisplay: Hashable, Sendable {
    /// Width and height that the layout gave the view, in points; zero before the first layout.
    public var size: CGSize
    /// Pixels of the screen per point.
    public var scaleFactor: CGFloat
    /// Whether the view is part of a window that is on screen.
    public var isVisible: Bool

    /// A place of `size` points with `scaleFactor` pixels per point.
    public init(size: CGSize, scaleFactor: CGFloat, isVisible: Bool) {
        self.size = size
        self.scaleFactor = scaleFactor
        self.isVisible = isVisible
    }

    /// No place at all.
    public static let none = ViewDisplay(size: .zero, scaleFactor: 1, isVisible: false)
}

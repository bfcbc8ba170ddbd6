public import Foundation

/// Insets of a rectangle's four edges, in points.
public struct EdgeInsets: Hashable, Sendable {
    public var top: CGFloat
    public var left: CGFloat
    public var bottom: CGFloat
    public var right: CGFloat

    /// Insets of the four edges, in points.
    public init(top: CGFloat, left: CGFloat, bottom: CGFloat, right: CGFloat) {
        self.top = top
        self.left = left
        self.bottom = bottom
        self.right = right
    }

    /// No insets.
    public static let zero = EdgeInsets(top: 0, left: 0, bottom: 0, right: 0)
}

package struct ImageTraits: Equatable, Sendable {
    package var renderingMode: Image.RenderingMode = .automatic
    package var flipsForRightToLeftLayoutDirection = false
    package var alignmentRectInsets: EdgeInsets = .zero
    package var variants: ImageVariants?

    package init() {}
}

extension Image {
    /// How a toolkit draws the image.
    public var renderingMode: RenderingMode { traits.renderingMode }
    /// Whether the image is mirrored where text runs from right to left.
    public var flipsForRightToLeftLayoutDirection: Bool { traits.flipsForRightToLeftLayoutDirection }
    /// Edges to exclude when the image is aligned, in points.
    public var alignmentRectInsets: EdgeInsets { traits.alignmentRectInsets }

    /// The same pixels with another rendering mode; a new object.
    public func withRenderingMode(_ mode: RenderingMode) -> Image {
        replacing { $0.renderingMode = mode }
    }

    /// The same pixels, mirrored where text runs from right to left; a new object.
    public func imageFlippedForRightToLeftLayoutDirection() -> Image {
        replacing { $0.flipsForRightToLeftLayoutDirection = true }
    }

    /// The same pixels with other alignment insets, in points; a new object.
    public func withAlignmentRectInsets(_ insets: EdgeInsets) -> Image {
        replacing { $0.alignmentRectInsets = insets }
    }

    func replacing(_ change: (inout ImageTraits) -> Void) -> Image {
        var traits = traits
        change(&traits)
        return Image(
            representation, scale: scale, orientation: imageOrientation, traits: traits,
            state: withState { $0 })
    }
}

public import Foundation

/// A line along the inside of an image's edge.
public struct Border: Sendable {
    /// The colour of the line; the image shows through a translucent one.
    public var color: Color
    /// The width of the line in points.
    public var lineWidth: CGFloat
    /// The radius of the line's outer edge at the corners, in points or proportional to the image.
    public var radius: Radius
    /// The corners that are rounded; the others are square.
    public var roundingCorners: RectCorner

    /// Creates a border with a line of `lineWidth` points.
    public init(
        color: Color = .black, lineWidth: CGFloat = 4, radius: Radius = .point(0),
        roundingCorners: RectCorner = .all
    ) {
        self.color = color
        self.lineWidth = lineWidth
        self.radius = radius
        self.roundingCorners = roundingCorners
    }

    package var identifier: String {
        "\(color.identifier)_\(lineWidth)_\(radius.radiusIdentifier)_\(roundingCorners.cornerIdentifier)"
    }
}

/// Corners of a rectangle.
public struct RectCorner: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The upper left corner.
    public static let topLeft = RectCorner(rawValue: 1 << 0)
    /// The upper right corner.
    public static let topRight = RectCorner(rawValue: 1 << 1)
    /// The lower left corner.
    public static let bottomLeft = RectCorner(rawValue: 1 << 2)
    /// The lower right corner.
    public static let bottomRight = RectCorner(rawValue: 1 << 3)
    /// All four.
    public static let all: RectCorner = [.topLeft, .topRight, .bottomLeft, .bottomRight]

    package var cornerIdentifier: String {
        self == .all ? "" : "_corner(\(rawValue))"
    }
}

import Foundation

/// Conversion to whole points. `Int32.init` would trap on infinity and NaN.
extension Int32 {
    /// The largest length that cairo can draw.
    private static let limit = CGFloat(Int16.max)

    /// A length, truncated to whole points; 0 if it is negative or not finite.
    init(points length: CGFloat) {
        self = Swift.max(Int32(offset: length), 0)
    }

    /// A signed distance, truncated to whole points; 0 if it is not finite.
    init(offset: CGFloat) {
        self = offset.isFinite ? Int32(Swift.min(Swift.max(offset, -Self.limit), Self.limit)) : 0
    }
}

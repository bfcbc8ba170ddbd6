import Foundation

/// Conversion by truncation to whole points, within the range of cairo. `Int32.init` would trap on infinity
/// and NaN.
extension Int32 {
    /// The largest length that cairo can draw.
    private static let limit = CGFloat(Int16.max)

    init(points length: CGFloat) {
        self = Swift.max(Int32(offset: length), 0)
    }

    init(offset: CGFloat) {
        self = offset.isFinite ? Int32(Swift.min(Swift.max(offset, -Self.limit), Self.limit)) : 0
    }
}

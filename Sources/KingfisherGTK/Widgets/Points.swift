import Foundation

/// Whole points, as GTK counts them. `Int32.init` would trap on what a division by zero leaves.
extension Int32 {
    /// The largest length that cairo draws.
    private static let farthest = CGFloat(Int16.max)

    /// A length, cut down to whole points: 0 for one that is negative or not finite.
    init(points length: CGFloat) {
        self = Swift.max(Int32(offset: length), 0)
    }

    /// A distance to either side, cut down to whole points: 0 for one that is not finite.
    init(offset: CGFloat) {
        self = offset.isFinite ? Int32(Swift.min(Swift.max(offset, -Self.farthest), Self.farthest)) : 0
    }
}

public import Foundation

/// The position of a view in the scrolled areas that contain it, provided by the toolkit.
public struct ScrollPlace: Hashable, Sendable {
    /// The distance of the view from the visible part in points; 0 if at least a part of the view is visible.
    public var distance: CGFloat
    /// The time in seconds that a view takes to cross the visible part at the current speed; infinity at
    /// rest.
    public var crossingTime: TimeInterval

    /// Creates a position from a distance in points and a time in seconds.
    public init(distance: CGFloat, crossingTime: TimeInterval = .infinity) {
        self.distance = distance
        self.crossingTime = crossingTime
    }

    /// The position in an area that is scrolled as well: the larger distance and the shorter time count.
    public func nested(in outer: ScrollPlace) -> ScrollPlace {
        ScrollPlace(
            distance: max(distance, outer.distance), crossingTime: min(crossingTime, outer.crossingTime))
    }
}

import Foundation

/// Decides from a view's place on screen when its load may run and with which priority.
struct LoadPlacement: Equatable {
    /// A load does not start while the view crosses the screen in less time, in seconds.
    private static let shortestCrossing: TimeInterval = 0.6
    /// The distance in points over which a priority falls from a half to a third.
    private static let reach: CGFloat = 1_000

    /// Whether the view is part of a window that is on screen, maybe outside of the visible part.
    let isOnScreen: Bool
    private let place: ScrollPlace?

    init(display: ViewDisplay, place: ScrollPlace?) {
        isOnScreen = display.isVisible
        self.place = place
    }

    /// Whether a part of the view is visible.
    var isSeen: Bool { isOnScreen && place.map { $0.distance <= 0 } ?? true }

    /// Whether the view is in a scrolled area, outside of its visible part.
    var isOutside: Bool { place.map { $0.distance > 0 } ?? false }

    /// Whether the user scrolls so fast that the view will not be looked at.
    var isPassing: Bool { place.map { $0.crossingTime < Self.shortestCrossing } ?? false }

    /// The distance from the visible part in points; infinity if the view is not on screen.
    var distance: CGFloat { isOnScreen ? place?.distance ?? 0 : .infinity }

    /// The priority of a load that requested `priority`; nil while the view is seen. Otherwise it is at most
    /// half of the requested one, and less with distance.
    ///
    /// A view that has not been seen during the load and is not in a scrolled area may be one that a program
    /// loads ahead, so its priority is not changed.
    func priority(_ priority: Float, wasSeen: Bool) -> Float? {
        guard !isSeen, wasSeen || isOutside else { return nil }
        return min(priority, priority / Float(2 + distance / Self.reach))
    }
}

import CGtk
import Foundation
import Kingfisher

/// A GtkScrolledWindow: knows the places of views in it, and notifies those that load images while it
/// scrolls.
///
/// Owned by the scrolled window, as its object data.
@MainActor final class ScrollArea {
    private struct Follower {
        weak var adapter: WidgetAdapter?
    }

    @MainActor private final class Axis {
        let adjustment: UnsafeMutablePointer<GtkAdjustment>
        let connections: [SignalConnection]
        var speed = ScrollSpeed()

        init(_ adjustment: UnsafeMutablePointer<GtkAdjustment>) {
            self.adjustment = adjustment
            connections = (0..<2).map { _ in
                SignalConnection(adopting: g_object_ref(UnsafeMutableRawPointer(adjustment)))
            }
        }

        /// The time in seconds in which the area scrolls by its own length; infinity at rest.
        var crossingTime: TimeInterval {
            let speed = speed.value
            return speed > 0 ? gtk_adjustment_get_page_size(adjustment) / speed : .infinity
        }
    }

    private static let dataKey = "kingfisher-scroll-area"

    private let scroller: UnsafeMutablePointer<GtkWidget>
    private let axes: [Axis]
    private var followers: [ObjectIdentifier: Follower] = [:]
    private var tick: guint?

    /// The areas that contain `widget`, innermost first.
    static func areas(around widget: UnsafeMutablePointer<GtkWidget>) -> [ScrollArea] {
        let scrolledWindow = gtk_scrolled_window_get_type()
        var areas: [ScrollArea] = []
        var next = gtk_widget_get_parent(widget)
        while let current = next {
            let instance = UnsafeMutableRawPointer(current).assumingMemoryBound(to: GTypeInstance.self)
            if g_type_check_instance_is_a(instance, scrolledWindow) != 0 { areas.append(area(of: current)) }
            next = gtk_widget_get_parent(current)
        }
        return areas
    }

    private static func area(of scroller: UnsafeMutablePointer<GtkWidget>) -> ScrollArea {
        let object = UnsafeMutableRawPointer(scroller).assumingMemoryBound(to: GObject.self)
        if let data = g_object_get_data(object, dataKey) {
            return Unmanaged<ScrollArea>.fromOpaque(data).takeUnretainedValue()
        }
        let area = ScrollArea(scroller)
        g_object_set_data_full(object, dataKey, Unmanaged.passRetained(area).toOpaque()) {
            Unmanaged<ScrollArea>.fromOpaque($0!).release()
        }
        return area
    }

    private init(_ scroller: UnsafeMutablePointer<GtkWidget>) {
        self.scroller = scroller
        let window = OpaquePointer(scroller)
        axes = [gtk_scrolled_window_get_hadjustment(window), gtk_scrolled_window_get_vadjustment(window)]
            .map { Axis($0!) }
        // The area's length or size changes without its value if the window grows or rows are removed.
        for (axis, (index, signal)) in axes.flatMap({ axis in
            ["value-changed", "changed"].enumerated().map { (axis, $0) }
        }) {
            axis.connections[index].connect(
                signal, to: unsafeBitCast(scrolled, to: GCallback.self),
                Unmanaged.passUnretained(self).toOpaque())
        }
    }

    // Isolated, as `SignalConnection` requires.
    isolated deinit {}

    /// The place of a widget in this area, as of the last layout; nil if it is not inside.
    func place(of widget: UnsafeMutablePointer<GtkWidget>) -> ScrollPlace? {
        var bounds = graphene_rect_t()
        guard gtk_widget_compute_bounds(widget, scroller, &bounds) != 0 else { return nil }
        let (origin, size) = (bounds.origin, bounds.size)
        let horizontal = max(-(origin.x + size.width), origin.x - Float(gtk_widget_get_width(scroller)))
        let vertical = max(-(origin.y + size.height), origin.y - Float(gtk_widget_get_height(scroller)))
        return ScrollPlace(
            distance: CGFloat(max(0, horizontal, vertical)),
            crossingTime: axes.map(\.crossingTime).min() ?? .infinity)
    }

    func add(_ follower: WidgetAdapter) {
        followers[ObjectIdentifier(follower)] = Follower(adapter: follower)
    }

    func remove(_ follower: WidgetAdapter) {
        followers[ObjectIdentifier(follower)] = nil
    }

    /// Follows each frame from the first change until the area is at rest.
    fileprivate func didScroll() {
        guard tick == nil else { return }
        tick = gtk_widget_add_tick_callback(
            scroller,
            { _, clock, data in
                let time = Double(gdk_frame_clock_get_frame_time(clock)) / 1e6
                let area = Unmanaged<ScrollArea>.fromOpaque(data!).takeUnretainedValue()
                return area.update(at: time) ? 1 : 0
            }, Unmanaged.passRetained(self).toOpaque(), { Unmanaged<ScrollArea>.fromOpaque($0!).release() })
    }

    /// Notifies the followers. Returns false once the area is at rest.
    private func update(at time: TimeInterval) -> Bool {
        for axis in axes { axis.speed.frame(at: time, value: gtk_adjustment_get_value(axis.adjustment)) }
        let isAtRest = axes.allSatisfy(\.speed.isAtRest)
        if isAtRest {
            for axis in axes { axis.speed.rest() }
            tick = nil
        }
        followers = followers.filter { $0.value.adapter != nil }
        for follower in followers.values { follower.adapter?.view?.scrollPlaceDidChange() }
        return !isAtRest
    }
}

private let scrolled: @convention(c) (UnsafeMutablePointer<GtkAdjustment>?, gpointer?) -> Void = { _, data in
    nonisolated(unsafe) let data = data
    MainActor.assumeIsolated {
        Unmanaged<ScrollArea>.fromOpaque(data!).takeUnretainedValue().didScroll()
    }
}

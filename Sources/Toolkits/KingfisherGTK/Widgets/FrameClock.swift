import CGtk
import Foundation
import Kingfisher

/// The time of the current GTK frame, so that all animations of a window stay in step.
@MainActor final class FrameClock: AnimationClock {
    /// Owned by the adapter that also owns this clock.
    private let widget: UnsafeMutablePointer<GtkWidget>

    init(_ widget: UnsafeMutablePointer<GtkWidget>) {
        self.widget = widget
    }

    var now: TimeInterval {
        // In microseconds; GTK's frame times and GLib's monotonic clock have the same origin.
        let frame = gtk_widget_get_frame_clock(widget).map { gdk_frame_clock_get_frame_time($0) }
        return Double(frame ?? g_get_monotonic_time()) / 1e6
    }
}

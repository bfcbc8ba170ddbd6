import CGtk
import Foundation
import Kingfisher

/// The time of the frame that GTK draws, so that all animations of a window move together.
@MainActor final class FrameClock: AnimationClock {
    /// Owned by the adapter that owns this clock, too.
    private let widget: UnsafeMutablePointer<GtkWidget>

    init(_ widget: UnsafeMutablePointer<GtkWidget>) {
        self.widget = widget
    }

    var now: TimeInterval {
        // GTK's frame times count from the same moment as GLib's monotonic clock, in microseconds.
        let frame = gtk_widget_get_frame_clock(widget).map { gdk_frame_clock_get_frame_time($0) }
        return Double(frame ?? g_get_monotonic_time()) / 1e6
    }
}

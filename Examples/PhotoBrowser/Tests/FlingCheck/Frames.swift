import Glibc
import KingfisherGTK

/// Measures the CPU time of the main thread in each frame and in the gap before it.
@MainActor final class Frames {
    /// Milliseconds for each frame.
    private(set) var times: [Double] = []
    /// Runs after each frame, outside of the measured time.
    var onFrame: (() -> Void)?
    private var last = Frames.cpuTime
    private let widget: UnsafeMutablePointer<GtkWidget>

    init(of view: View) {
        widget = view.widget
        let clock = gtk_widget_get_frame_clock(widget)
        let ended: @convention(c) (OpaquePointer?, gpointer?) -> Void = { _, data in
            nonisolated(unsafe) let data = data
            MainActor.assumeIsolated { Unmanaged<Frames>.fromOpaque(data!).takeUnretainedValue().end() }
        }
        g_signal_connect_data(
            UnsafeMutableRawPointer(clock), "after-paint", unsafeBitCast(ended, to: GCallback.self),
            Unmanaged.passRetained(self).toOpaque(), nil, GConnectFlags(rawValue: 0))
        gtk_widget_add_tick_callback(
            widget,
            { widget, _, _ in
                gtk_widget_queue_draw(widget)
                return 1
            }, nil, nil)
    }

    func restart() {
        times = []
        last = Self.cpuTime
    }

    /// The time that 99 of 100 frames do not exceed.
    var percentile99: Double {
        times.isEmpty ? 0 : times.sorted()[min(times.count - 1, times.count * 99 / 100)]
    }

    private func end() {
        times.append(Self.cpuTime - last)
        onFrame?()
        last = Self.cpuTime
    }

    private static var cpuTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }
}

import CGtk
import Glibc
import Kingfisher
import KingfisherGTK

/// What the main thread spends processor time on while a window is on screen: frames, or anything else.
///
/// Processor time, not wall time: what other processes of the machine do does not count. The view is drawn
/// anew in each frame.
@MainActor final class FrameProbe {
    /// Milliseconds of each frame, from before GTK begins it until it is on its way.
    private(set) var frames: [Double] = []
    /// Milliseconds spent on anything else before each of the frames.
    private(set) var gaps: [Double] = []
    private let widget: UnsafeMutablePointer<GtkWidget>
    private let clock: OpaquePointer
    private var signals: [gulong] = []
    private var tick: guint = 0
    private var frameStart = 0.0
    private var frameEnd = FrameProbe.processorTime
    private var awaited: (count: Int, continuation: CheckedContinuation<Void, Never>)?
    /// Called at the end of each frame.
    var onFrame: (() -> Void)?

    init?(_ view: View) {
        widget = view.widget
        guard let clock = gtk_widget_get_frame_clock(widget) else { return nil }
        self.clock = clock
        signals = [
            connect("before-paint") { _, data in
                FrameProbe.of(data) { $0.beginFrame() }
            },
            connect("after-paint") { _, data in FrameProbe.of(data) { $0.endFrame() } },
        ]
        tick = gtk_widget_add_tick_callback(
            widget,
            { widget, _, _ in
                gtk_widget_queue_draw(widget)
                return gboolean(1)
            }, nil, nil)
    }

    func stop() {
        for signal in signals { g_signal_handler_disconnect(UnsafeMutableRawPointer(clock), signal) }
        gtk_widget_remove_tick_callback(widget, tick)
    }

    /// Counts from here on.
    func restart() {
        (frames, gaps) = ([], [])
        frameEnd = Self.processorTime
    }

    /// Waits until so many frames were drawn since the last restart.
    func frames(_ count: Int) async {
        guard frames.count < count else { return }
        await withCheckedContinuation { awaited = (count, $0) }
    }

    /// Milliseconds of processor time that this thread has had.
    static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }

    private func beginFrame() {
        frameStart = Self.processorTime
        gaps.append(frameStart - frameEnd)
    }

    private func endFrame() {
        frameEnd = Self.processorTime
        frames.append(frameEnd - frameStart)
        onFrame?()
        if let awaited, frames.count >= awaited.count {
            self.awaited = nil
            awaited.continuation.resume()
        }
    }

    private typealias Handler = @convention(c) (OpaquePointer?, gpointer?) -> Void

    private func connect(_ signal: String, _ handler: Handler) -> gulong {
        g_signal_connect_data(
            UnsafeMutableRawPointer(clock), signal, unsafeBitCast(handler, to: GCallback.self),
            Unmanaged.passUnretained(self).toOpaque(), nil, GConnectFlags(rawValue: 0))
    }

    private nonisolated static func of(_ data: gpointer?, _ body: @MainActor (FrameProbe) -> Void) {
        nonisolated(unsafe) let data = data
        MainActor.assumeIsolated { body(Unmanaged<FrameProbe>.fromOpaque(data!).takeUnretainedValue()) }
    }
}

extension [Double] {
    var median: Double { isEmpty ? 0 : sorted()[count / 2] }
}

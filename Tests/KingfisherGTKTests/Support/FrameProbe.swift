import CGtk
import CLinux
import Glibc
import Kingfisher
import KingfisherGTK

/// Measures the CPU time of the main thread within frames and between them, which does not depend on other
/// processes. The view is redrawn in each frame.
@MainActor final class FrameProbe {
    /// Milliseconds of each frame, from `before-paint` to `after-paint`.
    private(set) var frames: [Double] = []
    /// Milliseconds of other work before each frame.
    private(set) var gaps: [Double] = []
    private let widget: UnsafeMutablePointer<GtkWidget>
    private let clock: OpaquePointer
    private var signals: [gulong] = []
    private var tick: guint = 0
    private var frameStart = 0.0
    private var frameEnd = FrameProbe.cpuTime
    private var awaited: (count: Int, continuation: CheckedContinuation<Void, Never>)?
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

    func restart() {
        (frames, gaps) = ([], [])
        frameEnd = Self.cpuTime
    }

    /// Waits until `count` frames were drawn since the last restart.
    func frames(_ count: Int) async {
        guard frames.count < count else { return }
        await withCheckedContinuation { awaited = (count, $0) }
    }

    /// Milliseconds of CPU time of the current thread.
    static var cpuTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }

    /// Milliseconds of CPU time of a fixed piece of work, which depend on the speed of the core only.
    static func fixedWork() -> Double {
        let start = cpuTime
        var sums: [String: Int] = [:]
        for number in 0..<1_000 { sums["\(number % 250)", default: 0] += number }
        return sums.count == 250 ? cpuTime - start : 0
    }

    private func beginFrame() {
        frameStart = Self.cpuTime
        gaps.append(frameStart - frameEnd)
    }

    private func endFrame() {
        frameEnd = Self.cpuTime
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

import CGtk
import Foundation
import Kingfisher

/// Requests the frames that a view needs from GTK: every frame, or one at a later time.
@MainActor final class FrameSchedule {
    private enum Request {
        case none
        case everyFrame(tick: guint)
        case later(timer: guint)
    }

    /// Owned by the adapter that also owns this schedule.
    private let widget: UnsafeMutablePointer<GtkWidget>
    private weak var view: View?
    private var request = Request.none

    init(_ widget: UnsafeMutablePointer<GtkWidget>, of view: View) {
        self.widget = widget
        self.view = view
    }

    func cancel() {
        switch request {
        case .none: break
        case .everyFrame(let tick): gtk_widget_remove_tick_callback(widget, tick)
        case .later(let timer): g_source_remove(timer)
        }
        request = .none
    }

    func update() {
        guard let view, let time = view.nextFrameTime, gtk_widget_get_mapped(widget) != 0 else {
            return cancel()
        }
        let delay = time - (view.clock ?? view.renderer?.clock ?? MonotonicAnimationClock()).now
        // For a slow animation a timer costs half as much CPU time as a check in each frame (0.010 against
        // 0.018 s per second). It measures real time, so not with a view's own clock.
        if delay > 0.03, view.clock == nil {
            wake(after: delay)
        } else {
            askForEveryFrame()
        }
    }

    private func wake(after delay: TimeInterval) {
        cancel()
        let milliseconds = guint((min(delay, 60) * 1000).rounded(.down))
        request = .later(
            timer: g_timeout_add_full(
                G_PRIORITY_DEFAULT, milliseconds,
                { data in
                    Unmanaged<FrameReceiver>.fromOpaque(data!).takeUnretainedValue().wake()
                    return gboolean(0)
                }, Unmanaged.passRetained(FrameReceiver(self)).toOpaque(), releaseReceiver))
    }

    private func askForEveryFrame() {
        if case .everyFrame = request { return }
        cancel()
        request = .everyFrame(
            tick: gtk_widget_add_tick_callback(
                widget,
                { _, _, data in
                    Unmanaged<FrameReceiver>.fromOpaque(data!).takeUnretainedValue().tick()
                    return gboolean(1)
                }, Unmanaged.passRetained(FrameReceiver(self)).toOpaque(), releaseReceiver))
    }

    fileprivate func wake() {
        // GLib removes a timer that has fired.
        request = .none
        askForEveryFrame()
    }

    fileprivate func tick() {
        view?.advance()
        gtk_widget_queue_draw(widget)
        view?.paintedContent?.viewDidChange(.content)
        update()
    }
}

/// The callback data of GTK and GLib: a weak reference to the schedule.
@MainActor private final class FrameReceiver {
    private weak var schedule: FrameSchedule?

    init(_ schedule: FrameSchedule) {
        self.schedule = schedule
    }

    func tick() { schedule?.tick() }

    func wake() { schedule?.wake() }
}

private let releaseReceiver: GDestroyNotify = { Unmanaged<FrameReceiver>.fromOpaque($0!).release() }

import CGtk
import Foundation
import Kingfisher

/// Asks GTK for the frames that a view wants: each one, or one at a later time.
@MainActor final class FrameSchedule {
    private enum Request {
        case none
        case everyFrame(tick: guint)
        case later(timer: guint)
    }

    /// Owned by the adapter that owns this schedule, too.
    private let widget: UnsafeMutablePointer<GtkWidget>
    private weak var view: View?
    private var request = Request.none

    init(_ widget: UnsafeMutablePointer<GtkWidget>, of view: View) {
        self.widget = widget
        self.view = view
    }

    /// Drops what was asked for, when the widget is about to go.
    func cancel() {
        switch request {
        case .none: break
        case .everyFrame(let tick): gtk_widget_remove_tick_callback(widget, tick)
        case .later(let timer): g_source_remove(timer)
        }
        request = .none
    }

    /// Asks for what the view wants now, unless that is asked for already.
    func update() {
        guard let view, let time = view.nextFrameTime, gtk_widget_get_mapped(widget) != 0 else {
            return cancel()
        }
        let delay = time - (view.clock ?? view.renderer?.clock ?? MonotonicAnimationClock()).now
        // A timer sleeps between the frames of a slow animation, at half the cost of a look before each frame
        // of the screen (0.010 against 0.018 s a second). It knows real time only, so not a view's own.
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
        // GLib drops the timer that has fired.
        request = .none
        askForEveryFrame()
    }

    fileprivate func tick() {
        view?.advance()
        gtk_widget_queue_draw(widget)
        update()
    }
}

/// What GTK and GLib hold for their calls: knows the schedule without keeping it.
@MainActor private final class FrameReceiver {
    private weak var schedule: FrameSchedule?

    init(_ schedule: FrameSchedule) {
        self.schedule = schedule
    }

    func tick() { schedule?.tick() }

    func wake() { schedule?.wake() }
}

private let releaseReceiver: GDestroyNotify = { Unmanaged<FrameReceiver>.fromOpaque($0!).release() }

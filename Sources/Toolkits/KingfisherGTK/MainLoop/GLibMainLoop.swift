import CGtk
import Glibc

/// Connects Swift's main queue to GLib's main loop.
public enum GLibMainLoop {
    @MainActor private static var isAttached = false

    /// Makes GLib's default main context run `DispatchQueue.main` and the main actor.
    ///
    /// Call it on the main thread, from a synchronous `main`, before the loop is entered; the first widget of
    /// a view also calls it. Further calls have no effect. Timers of the main `RunLoop` do not fire under
    /// GLib: use `Task.sleep`, a `DispatchSource` or `g_timeout_add`.
    ///
    /// A nested loop, such as `g_main_loop_run` in a job of the main actor, runs GLib only: the main queue
    /// and the main actor stop until it ends, because libdispatch starts no job within another one. Started
    /// in a handler of a GTK signal, it runs all of them.
    @MainActor public static func attach() {
        guard !isAttached else { return }
        isAttached = true
        // libdispatch signals this eventfd when the main queue has work. Redraw priority, because a queue
        // that refills itself at default priority keeps GTK from painting (0 frames in 5 s).
        _ = g_unix_fd_add_full(
            Int32(GDK_PRIORITY_REDRAW), _dispatch_get_main_queue_handle_4CF(), G_IO_IN,
            { descriptor, _, _ in
                // Acknowledge first, so that work that arrives during the drain signals the event again.
                var events: UInt64 = 0
                _ = read(descriptor, &events, MemoryLayout<UInt64>.size)
                _dispatch_main_queue_callback_4CF(nil)
                return gboolean(1)
            }, nil, nil)
    }
}

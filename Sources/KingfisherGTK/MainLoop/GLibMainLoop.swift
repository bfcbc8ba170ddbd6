import CGtk
import Glibc

/// The bridge from Swift's main queue to GLib's main loop.
public enum GLibMainLoop {
    @MainActor private static var isAttached = false

    /// Makes GLib's default main context run `DispatchQueue.main` and the main actor.
    ///
    /// Call it on the main thread, from a synchronous `main`, before the loop is entered; the first widget
    /// of a view does it, too. Further calls do nothing. Timers of the main `RunLoop` stay silent under
    /// GLib: use `Task.sleep`, a `DispatchSource` or `g_timeout_add`.
    ///
    /// A loop nested in another, `g_main_loop_run` in a job of the main actor say, turns GLib alone: the main
    /// queue and the main actor stand still until it ends, as libdispatch begins no job within another one.
    /// Begun in a handler of a GTK signal it turns all of them.
    @MainActor public static func attach() {
        guard !isAttached else { return }
        isAttached = true
        // libdispatch raises this eventfd whenever the main queue has work. At redraw priority, since a queue
        // that refills itself at the default priority keeps GTK from ever painting (0 frames in 5 s).
        _ = g_unix_fd_add_full(
            Int32(GDK_PRIORITY_REDRAW), _dispatch_get_main_queue_handle_4CF(), G_IO_IN,
            { descriptor, _, _ in
                // Acknowledge first, so that work which arrives during the drain raises the event anew.
                var events: UInt64 = 0
                _ = read(descriptor, &events, MemoryLayout<UInt64>.size)
                _dispatch_main_queue_callback_4CF(nil)
                return gboolean(1)
            }, nil, nil)
    }
}

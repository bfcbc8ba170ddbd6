import CGtk

/// Reports whether the pointer is over a widget, or the keyboard focus is in it or on a row or button that
/// contains it.
@MainActor final class HoverTracker {
    /// Owned by the adapter that also owns this tracker.
    private let widget: UnsafeMutablePointer<GtkWidget>
    private let pointer: OpaquePointer
    private let pointerChanges: SignalConnection
    private var focusChanges: SignalConnection?
    /// Not retained; compared only.
    private var root: OpaquePointer?
    private let report: (Bool) -> Void

    init(_ widget: UnsafeMutablePointer<GtkWidget>, report: @escaping (Bool) -> Void) {
        self.widget = widget
        self.report = report
        pointer = gtk_event_controller_motion_new()
        // The widget takes the first reference.
        let object = UnsafeMutableRawPointer(pointer)
        pointerChanges = SignalConnection(adopting: g_object_ref(object))
        gtk_widget_add_controller(widget, pointer)
        pointerChanges.connect(
            "notify::contains-pointer", to: unsafeBitCast(changed, to: GCallback.self),
            Unmanaged.passUnretained(self).toOpaque())
    }

    isolated deinit {
        gtk_widget_remove_controller(widget, pointer)
        report(false)
    }

    func update() {
        followFocus()
        let isPointed = gtk_event_controller_motion_contains_pointer(pointer) != 0
        report(gtk_widget_get_mapped(widget) != 0 && (isPointed || isNearFocus))
    }

    /// Watches the focus of the window, which changes when the widget moves to another one.
    private func followFocus() {
        let current = gtk_widget_get_mapped(widget) != 0 ? gtk_widget_get_root(widget) : nil
        guard current != root else { return }
        root = current
        focusChanges = current.map { SignalConnection(adopting: g_object_ref(UnsafeMutableRawPointer($0))) }
        focusChanges?.connect(
            "notify::focus-widget", to: unsafeBitCast(changed, to: GCallback.self),
            Unmanaged.passUnretained(self).toOpaque())
    }

    private var isNearFocus: Bool {
        guard let root, let focused = gtk_root_get_focus(root) else { return false }
        if focused == widget || gtk_widget_is_ancestor(focused, widget) != 0 { return true }
        return gtk_widget_is_ancestor(widget, focused) != 0 && !focused.scrolls
    }
}

extension UnsafeMutablePointer<GtkWidget> {
    /// Whether the focus of this widget represents all its content, such as a list without a focused row.
    @MainActor fileprivate var scrolls: Bool {
        let instance = UnsafeMutableRawPointer(self).assumingMemoryBound(to: GTypeInstance.self)
        return [gtk_scrollable_get_type(), gtk_scrolled_window_get_type(), gtk_root_get_type()].contains {
            g_type_check_instance_is_a(instance, $0) != 0
        }
    }
}

private let changed: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, gpointer?) -> Void =
    {
        _, _, data in
        nonisolated(unsafe) let data = data
        MainActor.assumeIsolated { Unmanaged<HoverTracker>.fromOpaque(data!).takeUnretainedValue().update() }
    }

public import CGtk

@MainActor extension UnsafeMutablePointer<GtkWidget> {
    /// Runs a closure on each signal of the widget, on the main thread. The widget retains the closure.
    ///
    /// For signals that return nothing and have no argument, or one that is an unsigned number, such as the
    /// position in a list.
    ///
    /// - Parameter action: gets the number; 0 without one.
    /// - Returns: false, and connects nothing, if the widget has no such signal.
    @discardableResult
    public func onSignal(_ signal: String, _ action: @escaping @MainActor (UInt32) -> Void) -> Bool {
        let instance = UnsafeMutableRawPointer(self).assumingMemoryBound(to: GTypeInstance.self)
        var query = GSignalQuery()
        g_signal_query(g_signal_lookup(signal, instance.pointee.g_class.pointee.g_type), &query)
        let isKnown =
            query.signal_id != 0 && query.return_type == g_type_from_name("void")
            && (query.n_params == 0
                || query.n_params == 1 && query.param_types[0] == g_type_from_name("guint"))
        guard isKnown else { return false }
        let callback =
            query.n_params == 0
            ? unsafeBitCast(signalled, to: GCallback.self)
            : unsafeBitCast(signalledWithNumber, to: GCallback.self)
        g_signal_connect_data(
            self, signal, callback, Action.retained(action), { data, _ in Action.release(data) },
            GConnectFlags(rawValue: 0))
        return true
    }

    /// Runs a closure when a key is pressed while the focus is in the widget. The widget retains the closure,
    /// and the key goes no further.
    ///
    ///     page.onKey("Escape") { close() }
    ///
    /// - Parameters:
    ///   - key: a key as `gtk_shortcut_trigger_parse_string` reads it: `Page_Down`, `<Control>r`.
    ///   - phase: `GTK_PHASE_BUBBLE` after the widgets inside, unless one of them has used the key;
    ///     `GTK_PHASE_CAPTURE` before them.
    /// - Returns: false, and adds nothing, if GTK knows no such key.
    @discardableResult
    public func onKey(
        _ key: String, phase: GtkPropagationPhase = GTK_PHASE_BUBBLE,
        _ action: @escaping @MainActor () -> Void
    ) -> Bool {
        guard let trigger = gtk_shortcut_trigger_parse_string(key) else { return false }
        let callback = gtk_callback_action_new(
            pressed, Action.retained { _ in action() }, { Action.release($0) })
        let controller = gtk_shortcut_controller_new()
        gtk_event_controller_set_propagation_phase(controller, phase)
        gtk_shortcut_controller_add_shortcut(controller, gtk_shortcut_new(trigger, callback))
        gtk_widget_add_controller(self, controller)
        return true
    }
}

/// A closure that a GTK object retains.
private final class Action {
    private let body: @MainActor (UInt32) -> Void

    private init(_ body: @escaping @MainActor (UInt32) -> Void) {
        self.body = body
    }

    static func retained(_ body: @escaping @MainActor (UInt32) -> Void) -> gpointer {
        Unmanaged.passRetained(Action(body)).toOpaque()
    }

    static func release(_ data: gpointer?) {
        Unmanaged<Action>.fromOpaque(data!).release()
    }

    static func run(_ data: gpointer?, _ number: UInt32 = 0) {
        nonisolated(unsafe) let data = data  // GTK calls on the main thread.
        MainActor.assumeIsolated { Unmanaged<Action>.fromOpaque(data!).takeUnretainedValue().body(number) }
    }
}

private let signalled: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in Action.run(data) }

private let signalledWithNumber: @convention(c) (gpointer?, guint, gpointer?) -> Void = {
    _, number, data in Action.run(data, number)
}

private let pressed: GtkShortcutFunc = { _, _, data in
    Action.run(data)
    return gboolean(1)
}

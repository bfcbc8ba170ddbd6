import CGtk

/// A handler on a signal of a GObject; it is gone when this is, so its data may be whoever owns this.
///
/// An owner that other threads may release last needs an `isolated deinit`, even an empty one: then both end
/// on the main thread, in one go. Else the owner would end at once over there, and the handler when the main
/// thread comes to it; a signal in between would find no owner.
@MainActor final class SignalConnection {
    private let object: UnsafeMutableRawPointer?
    private var handler: gulong = 0

    /// Takes over a reference to `object`; with nil nothing is ever heard.
    init(adopting object: UnsafeMutableRawPointer?) {
        self.object = object
    }

    isolated deinit {
        guard let object else { return }
        if handler != 0 { g_signal_handler_disconnect(object, handler) }
        g_object_unref(object)
    }

    /// Has `callback`, of the C type that GLib documents for the signal, called with `data` as its last
    /// argument.
    func connect(_ signal: String, to callback: @escaping GCallback, _ data: UnsafeMutableRawPointer) {
        guard let object else { return }
        handler = g_signal_connect_data(object, signal, callback, data, nil, GConnectFlags(rawValue: 0))
    }
}

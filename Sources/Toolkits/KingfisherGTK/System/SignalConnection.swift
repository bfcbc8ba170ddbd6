import CGtk

/// Connects a handler to a signal of a GObject, and disconnects it on deinit. The owner may therefore be the
/// handler's data.
///
/// An owner that other threads may release last needs an `isolated deinit`, even an empty one: both are then
/// destroyed together on the main thread. Otherwise a signal may arrive after the owner is destroyed and
/// before the handler is disconnected.
@MainActor final class SignalConnection {
    private let object: UnsafeMutableRawPointer?
    private var handler: gulong = 0

    /// Takes ownership of a reference to `object`; nil connects nothing.
    init(adopting object: UnsafeMutableRawPointer?) {
        self.object = object
    }

    isolated deinit {
        guard let object else { return }
        if handler != 0 { g_signal_handler_disconnect(object, handler) }
        g_object_unref(object)
    }

    func connect(_ signal: String, to callback: @escaping GCallback, _ data: UnsafeMutableRawPointer) {
        guard let object else { return }
        handler = g_signal_connect_data(object, signal, callback, data, nil, GConnectFlags(rawValue: 0))
    }
}

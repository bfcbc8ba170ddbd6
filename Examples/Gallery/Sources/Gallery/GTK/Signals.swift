import KingfisherGTK

/// Runs `action` on every `signal` of `object`, which retains the action.
@MainActor func connect(
    _ object: UnsafeMutableRawPointer, _ signal: String, to action: @escaping @MainActor () -> Void
) {
    connect(object, signal, unsafeBitCast(onSignal, to: GCallback.self), Action { _ in action() })
}

/// Runs `action` on every `signal` that has an object argument, such as an activated row.
@MainActor func connect(
    _ object: UnsafeMutableRawPointer, _ signal: String,
    with action: @escaping @MainActor (OpaquePointer) -> Void
) {
    connect(object, signal, unsafeBitCast(onSignalWithObject, to: GCallback.self), Action(action))
}

/// Runs `action` when the user asks to close `window`. The window stays open: the program is about to end,
/// and pending work may use its widgets until then.
@MainActor func connectCloseRequest(of window: Widget, to action: @escaping @MainActor () -> Void) {
    connect(
        window, "close-request", unsafeBitCast(onCloseRequest, to: GCallback.self), Action { _ in action() })
}

@MainActor private func connect(
    _ object: UnsafeMutableRawPointer, _ signal: String, _ callback: GCallback, _ action: Action
) {
    g_signal_connect_data(
        object, signal, callback, Unmanaged.passRetained(action).toOpaque(), releaseAction,
        GConnectFlags(rawValue: 0))
}

private final class Action {
    let body: @MainActor (OpaquePointer) -> Void

    init(_ body: @escaping @MainActor (OpaquePointer) -> Void) {
        self.body = body
    }

    static func run(_ data: gpointer?, with object: gpointer?) {
        nonisolated(unsafe) let (data, object) = (data, object)
        MainActor.assumeIsolated {
            guard let data, let object else { return }
            Unmanaged<Action>.fromOpaque(data).takeUnretainedValue().body(OpaquePointer(object))
        }
    }
}

// At file scope: C functions inside a main-actor function crash the compiler (Swift 6.3.1).
private let onSignal: @convention(c) (gpointer?, gpointer?) -> Void = { sender, data in
    Action.run(data, with: sender)
}

private let onSignalWithObject: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = {
    _, object, data in Action.run(data, with: object)
}

private let onCloseRequest: @convention(c) (gpointer?, gpointer?) -> gboolean = { sender, data in
    Action.run(data, with: sender)
    return gboolean(1)
}

private let releaseAction: GClosureNotify = { data, _ in
    Unmanaged<Action>.fromOpaque(data!).release()
}

import KingfisherGTK

typealias Widget = UnsafeMutablePointer<GtkWidget>

/// GTK's casts between a class and its parents are macros, which Swift does not see.
func cast<From, To>(_ object: UnsafeMutablePointer<From>, to: To.Type = To.self) -> UnsafeMutablePointer<To> {
    UnsafeMutableRawPointer(object).assumingMemoryBound(to: To.self)
}

/// Runs `action` on every `signal` of `object`, which keeps the action for as long as it lives.
@MainActor func connect<Object>(
    _ object: UnsafeMutablePointer<Object>, _ signal: String, to action: @escaping @MainActor () -> Void
) {
    g_signal_connect_data(
        object, signal, unsafeBitCast(onSignal, to: GCallback.self),
        Unmanaged.passRetained(Action(action)).toOpaque(), releaseAction, GConnectFlags(rawValue: 0))
}

private final class Action {
    let body: @MainActor () -> Void

    init(_ body: @escaping @MainActor () -> Void) {
        self.body = body
    }
}

private let onSignal: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in
    nonisolated(unsafe) let data = data
    MainActor.assumeIsolated { Unmanaged<Action>.fromOpaque(data!).takeUnretainedValue().body() }
}

private let releaseAction: GClosureNotify = { data, _ in
    Unmanaged<Action>.fromOpaque(data!).release()
}

/// Waits, with the main loop turning, until `condition` holds.
@MainActor func wait(
    for what: String, upTo seconds: Int = 20, until condition: () throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while try !condition() {
        guard ContinuousClock.now < deadline else { throw Failure("no \(what) within \(seconds) s") }
        try await Task.sleep(for: .milliseconds(4))
    }
}

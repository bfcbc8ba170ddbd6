import Synchronization

/// Ends the reading of a video. Safe from any thread.
final class VideoCancellation: Sendable {
    private struct State {
        var isCancelled = false
        var running: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    func cancel() {
        let running = state.withLock { state in
            state.isCancelled = true
            return state.running
        }
        running?()
    }

    /// Throws `CancellationError` after `cancel()`.
    func check() throws {
        if state.withLock(\.isCancelled) { throw CancellationError() }
    }

    /// Runs `body`; `cancel()` calls `end` meanwhile, and its error becomes a `CancellationError`.
    func cancelling<Value>(_ end: @escaping @Sendable () -> Void, _ body: () throws -> Value) throws -> Value
    {
        let isCancelled = state.withLock { state in
            state.running = end
            return state.isCancelled
        }
        if isCancelled { end() }
        defer { state.withLock { $0.running = nil } }
        do {
            return try body()
        } catch {
            try check()
            throw error
        }
    }
}

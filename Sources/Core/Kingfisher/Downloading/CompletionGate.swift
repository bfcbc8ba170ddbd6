import Synchronization

/// Delays a caller's outcome until the caller has its task: a transfer that is just ending could complete a
/// new caller before that. Safe from any thread.
final class CompletionGate: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var held: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    var isOpen: Bool { state.withLock(\.isOpen) }

    /// Runs `delivery` now, or when the gate opens. Call it at most once.
    func pass(_ delivery: @escaping @Sendable () -> Void) {
        let isOpen = state.withLock { state in
            if !state.isOpen { state.held = delivery }
            return state.isOpen
        }
        if isOpen { delivery() }
    }

    /// Opens the gate. A delayed outcome runs on `queue`, as it would have without the delay.
    func open(on queue: CallbackQueue) {
        let held = state.withLock { state in
            state.isOpen = true
            return state.held.take()
        }
        if let held { queue.execute(held) }
    }
}

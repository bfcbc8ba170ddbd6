import Synchronization

/// Holds a caller's outcome back until the caller has been told of its task: who joins a transfer that is
/// just ending could be served before. Safe from any thread.
final class OutcomeGate: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var held: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Whether outcomes pass; once they do, they always do.
    var isOpen: Bool { state.withLock(\.isOpen) }

    /// Runs `delivery` here, or when the gate opens. A caller has one outcome only.
    func pass(_ delivery: @escaping @Sendable () -> Void) {
        let isOpen = state.withLock { state in
            if !state.isOpen { state.held = delivery }
            return state.isOpen
        }
        if isOpen { delivery() }
    }

    /// Lets the outcome pass from now on; one that was held runs on `queue`, as it would have without
    /// waiting.
    func open(on queue: CallbackQueue) {
        let held = state.withLock { state in
            state.isOpen = true
            return state.held.take()
        }
        if let held { queue.execute(held) }
    }
}

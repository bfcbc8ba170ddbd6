import Synchronization

/// The current load of a view. Safe from any thread, so that background stages can check whether their work
/// is still needed.
final class CurrentLoad: Sendable {
    private struct State {
        var identifier: Source.Identifier.Value?
        var task: DownloadTask?
    }

    private let state = Mutex(State())

    var identifier: Source.Identifier.Value? { state.withLock(\.identifier) }

    var task: DownloadTask? { state.withLock(\.task) }

    func isCurrent(_ identifier: Source.Identifier.Value) -> Bool {
        self.identifier == identifier
    }

    func begin(_ identifier: Source.Identifier.Value) {
        replace(with: State(identifier: identifier, task: nil))
    }

    /// Stores the task of the load, unless that load has ended in the meantime.
    func adopt(_ task: DownloadTask?, for identifier: Source.Identifier.Value) {
        let old = state.withLock { state -> DownloadTask? in
            guard state.identifier == identifier else { return nil }
            defer { state.task = task }
            return state.task
        }
        // Outside the lock, as in `replace`.
        withExtendedLifetime(old) {}
    }

    func end(_ identifier: Source.Identifier.Value) -> Bool {
        let ended = state.withLock { state -> State? in
            guard state.identifier == identifier else { return nil }
            defer { state = State() }
            return state
        }
        return ended != nil
    }

    func forget() {
        replace(with: State())
    }

    /// Releases the old task outside the lock: it may hold the last reference to an object whose
    /// deinitializer uses this load.
    private func replace(with new: State) {
        let old = state.withLock { state in
            defer { state = new }
            return state
        }
        withExtendedLifetime(old) {}
    }

    func cancel() {
        // Outside the lock: cancelling may complete the load before it returns.
        task?.cancel()
    }
}

import Synchronization

/// The load that a view waits for. Safe from any thread, so that stages in the background can ask whether
/// their work is still wanted.
final class CurrentLoad: Sendable {
    private struct State {
        var identifier: Source.Identifier.Value?
        var task: DownloadTask?
    }

    private let state = Mutex(State())

    /// The identifier of the load; nil while the view waits for none.
    var identifier: Source.Identifier.Value? { state.withLock(\.identifier) }

    /// What cancels the load; nil while there is nothing to be cancelled.
    var task: DownloadTask? { state.withLock(\.task) }

    func isCurrent(_ identifier: Source.Identifier.Value) -> Bool {
        self.identifier == identifier
    }

    /// Makes `identifier` the load that the view waits for, in place of any other.
    func begin(_ identifier: Source.Identifier.Value) {
        replace(with: State(identifier: identifier, task: nil))
    }

    /// Keeps `task` to cancel the load with, unless that load has ended meanwhile.
    func adopt(_ task: DownloadTask?, for identifier: Source.Identifier.Value) {
        let old = state.withLock { state -> DownloadTask? in
            guard state.identifier == identifier else { return nil }
            defer { state.task = task }
            return state.task
        }
        // Outside the lock, as in `replace`.
        withExtendedLifetime(old) {}
    }

    /// Ends the load if the view still waits for it, and says whether it did.
    func end(_ identifier: Source.Identifier.Value) -> Bool {
        let ended = state.withLock { state -> State? in
            guard state.identifier == identifier else { return nil }
            defer { state = State() }
            return state
        }
        return ended != nil
    }

    /// Lets the view wait for nothing.
    func forget() {
        replace(with: State())
    }

    /// The old task goes outside the lock: it may be the last to hold something whose end asks for this one
    /// again.
    private func replace(with new: State) {
        let old = state.withLock { state in
            defer { state = new }
            return state
        }
        withExtendedLifetime(old) {}
    }

    /// Cancels the load; it ends with an error of its own.
    func cancel() {
        // Outside the lock: cancelling may complete the load before it returns.
        task?.cancel()
    }
}

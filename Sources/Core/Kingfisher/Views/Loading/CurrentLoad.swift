import KingfisherConcurrency
import Synchronization

/// The current load of a view. Safe from any thread, so that background stages can check whether their work
/// is still needed.
final class CurrentLoad: Sendable {
    private struct State {
        var identifier: Source.Identifier.Value?
        var task: DownloadTask?
        /// Loads that were cancelled to run again under another identifier.
        var suspended: Set<Source.Identifier.Value> = []
    }

    /// What has become of a load that ends.
    enum Ending {
        case ended, superseded, suspended
    }

    private let state = Mutex(State())

    var identifier: Source.Identifier.Value? { state.withLock(\.identifier) }

    var task: DownloadTask? { state.withLock(\.task) }

    func isCurrent(_ identifier: Source.Identifier.Value) -> Bool {
        self.identifier == identifier
    }

    func begin(_ identifier: Source.Identifier.Value) {
        replace(with: identifier)
    }

    /// Replaces a load that is about to be cancelled by a later one of the same image. Returns false if it is
    /// not the current one.
    func suspend(_ identifier: Source.Identifier.Value, for later: Source.Identifier.Value) -> Bool {
        let task = state.withLock { state -> DownloadTask?? in
            guard state.identifier == identifier else { return .none }
            state.suspended.insert(identifier)
            defer { (state.identifier, state.task) = (later, nil) }
            return .some(state.task)
        }
        return task != nil
    }

    /// Stores the task of the load, unless that load has ended in the meantime.
    func adopt(_ task: DownloadTask?, for identifier: Source.Identifier.Value) {
        state.release { state -> DownloadTask? in
            guard state.identifier == identifier else { return nil }
            defer { state.task = task }
            return state.task
        }
    }

    func end(_ identifier: Source.Identifier.Value) -> Ending {
        let (ending, task) = state.withLock { state -> (Ending, DownloadTask?) in
            if state.suspended.remove(identifier) != nil { return (.suspended, nil) }
            guard state.identifier == identifier else { return (.superseded, nil) }
            defer { (state.identifier, state.task) = (nil, nil) }
            return (.ended, state.task)
        }
        // Outside the lock, as in `replace`.
        withExtendedLifetime(task) {}
        return ending
    }

    func forget() {
        replace(with: nil)
    }

    private func replace(with identifier: Source.Identifier.Value?) {
        state.release { state in
            state.identifier = identifier
            // It may hold the last reference to an object whose deinitializer uses this load.
            return state.task.take()
        }
    }

    func cancel() {
        // Outside the lock: cancelling may complete the load before it returns.
        task?.cancel()
    }
}

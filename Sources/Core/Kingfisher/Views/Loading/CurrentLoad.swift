import KingfisherConcurrency
import Synchronization

/// The current load of a view. Safe from any thread, so that background stages can check whether their work
/// is still needed.
final class CurrentLoad: Sendable {
    private struct State {
        var identifier: Source.Identifier.Value?
        var task: DownloadTask?
        /// The load of a smaller image, which ends with this load.
        var companion: DownloadTask?
        var watch: FileWatch?
        /// Loads that were cancelled to run again under another identifier.
        var suspended: Set<Source.Identifier.Value> = []

        mutating func replace(with identifier: Source.Identifier.Value?) -> Ended {
            defer { (self.identifier, task, companion) = (identifier, nil, nil) }
            return Ended(task: task, companion: companion)
        }
    }

    /// What a load leaves, to be released outside the lock.
    private struct Ended {
        let task: DownloadTask?
        let companion: DownloadTask?
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
        let ended = state.withLock { state -> Ended? in
            guard state.identifier == identifier else { return nil }
            state.suspended.insert(identifier)
            return state.replace(with: later)
        }
        ended?.companion?.cancel()
        return ended != nil
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
        let (ending, ended) = state.withLock { state -> (Ending, Ended?) in
            if state.suspended.remove(identifier) != nil { return (.suspended, nil) }
            guard state.identifier == identifier else { return (.superseded, nil) }
            return (.ended, state.replace(with: nil))
        }
        // Outside the lock, as in `replace`.
        withExtendedLifetime(ended) {}
        ended?.companion?.cancel()
        return ending
    }

    func forget() {
        replace(with: nil)
    }

    private func replace(with identifier: Source.Identifier.Value?) {
        // They may hold the last reference to an object whose deinitializer uses this load.
        let (ended, watch) = state.withLock { ($0.replace(with: identifier), $0.watch.take()) }
        withExtendedLifetime(watch) {}
        ended.companion?.cancel()
    }

    /// Cancels the load, and ends the watch of its file.
    func cancel() {
        endWatch()
        // Outside the lock: cancelling may complete the load before it returns.
        task?.cancel()
    }

    // MARK: The watch

    /// The watch of the file whose image is shown or loaded.
    var watch: FileWatch? { state.withLock(\.watch) }

    /// Stores the watch for a load, unless that has been replaced.
    func add(_ watch: FileWatch?, to identifier: Source.Identifier.Value) {
        state.release { state -> FileWatch? in
            guard state.identifier == identifier else { return watch }
            defer { state.watch = watch }
            return state.watch
        }
    }

    func endWatch() { state.release { $0.watch.take() } }

    // MARK: The companion

    /// Adds the load of a smaller image, which ends with the load.
    func add(companion: DownloadTask, to identifier: Source.Identifier.Value) {
        let isAdded = state.withLock { state in
            guard state.identifier == identifier else { return false }
            state.companion = companion
            return true
        }
        if !isAdded { companion.cancel() }
    }

    /// Whether the load of the smaller image, and the load that it belongs to, have neither ended nor been
    /// cancelled.
    func isCurrent(companion: DownloadTask) -> Bool {
        let (isCurrent, task) = state.withLock { ($0.companion === companion, $0.task) }
        return isCurrent && task?.isCancelled != true
    }

    func endCompanion() {
        state.withLock { $0.companion.take() }?.cancel()
    }
}

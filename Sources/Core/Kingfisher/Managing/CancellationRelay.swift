import Synchronization

/// Forwards a cancellation to a task that may not exist yet.
final class CancellationRelay: Sendable {
    private struct State: Sendable {
        var task: DownloadTask?
        var isCancelled = false
    }

    private let state = Mutex(State())

    func adopt(_ task: DownloadTask?) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task?.cancel() }
    }

    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            return state.task
        }?.cancel()
    }
}

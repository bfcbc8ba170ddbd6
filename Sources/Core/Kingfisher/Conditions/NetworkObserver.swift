import Foundation
import Synchronization

/// Waits for the machine to be online. Safe from any thread.
public final class NetworkObserver: Sendable {
    typealias Callback = @Sendable (NetworkObserver, _ isConnected: Bool) -> Void

    private struct State: Sendable {
        var callback: Callback?
        var isNotified = false
    }

    private let state: Mutex<State>
    private let monitor: NetworkMonitor
    private let queue: CallbackQueue

    init(monitor: NetworkMonitor, queue: CallbackQueue, callback: @escaping Callback) {
        self.monitor = monitor
        self.queue = queue
        state = Mutex(State(callback: callback))
    }

    func start(timeoutInterval: TimeInterval?) {
        monitor.add(self)
        let (isCancelled, isNotified) = state.withLock { ($0.callback == nil, $0.isNotified) }
        // Checked after adding, so that no cancellation is missed.
        if isCancelled { monitor.remove(self) }
        guard let timeoutInterval, !isCancelled, !isNotified else { return }
        monitor.timer.after(timeoutInterval) { [weak self] in self?.notify(isConnected: false) }
    }

    /// Stops waiting. The callback is not called any more, even if it is already scheduled.
    public func cancel() {
        release(state.withLock { $0.callback.take() })
    }

    func notify(isConnected: Bool) {
        let isFirst = state.withLock { state in
            defer { state.isNotified = true }
            return !state.isNotified
        }
        guard isFirst else { return }
        monitor.remove(self)
        queue.execute { [self] in
            state.withLock { $0.callback.take() }?(self, isConnected)
        }
    }

    private func release(_ callback: Callback?) {
        monitor.remove(self)
        withExtendedLifetime(callback) {}
    }
}

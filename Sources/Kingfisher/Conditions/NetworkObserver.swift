import Foundation
import Synchronization

/// Somebody who waits for the machine to be online. Safe from any thread.
public final class NetworkObserver: Sendable {
    typealias Callback = @Sendable (NetworkObserver, _ isConnected: Bool) -> Void

    private struct State: Sendable {
        var callback: Callback?
        var isNotified = false
    }

    private let state: Mutex<State>
    private let monitor: NetworkMonitor
    private let queue: CallbackQueue

    /// `callback` runs on `queue`, at most once.
    init(monitor: NetworkMonitor, queue: CallbackQueue, callback: @escaping Callback) {
        self.monitor = monitor
        self.queue = queue
        state = Mutex(State(callback: callback))
    }

    /// Waits until the monitor knows the machine to be online, or for `timeoutInterval` seconds; not at all
    /// where it was cancelled before.
    func start(timeoutInterval: TimeInterval?) {
        monitor.add(self)
        let (isCancelled, isNotified) = state.withLock { ($0.callback == nil, $0.isNotified) }
        // Asked after it was added: a cancellation in between has removed it.
        if isCancelled { monitor.remove(self) }
        guard let timeoutInterval, !isCancelled, !isNotified else { return }
        monitor.timer.after(timeoutInterval) { [weak self] in self?.notify(isConnected: false) }
    }

    /// Ends the waiting: the callback is not called any more, not even if it is on its way to its queue.
    public func cancel() {
        release(state.withLock { $0.callback.take() })
    }

    /// Tells the callback, if it was told nothing before.
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

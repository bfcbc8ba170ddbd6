import KingfisherTransport
import Synchronization

/// Batches the work of transfers that finish in one round of the transport, because waking the queue's thread
/// costs more than delivering a small body. Safe from any thread.
final class DeliveryQueue: Sendable {
    private struct State: Sendable {
        var waiting: [@Sendable () -> Void] = []
        var isScheduled = false
    }

    private let queue: CallbackQueue
    private let state = Mutex(State())

    /// `queue` must be serial.
    init(_ queue: CallbackQueue) {
        self.queue = queue
    }

    func add(_ work: @escaping @Sendable () -> Void) {
        let isScheduled = state.withLock { state in
            state.waiting.append(work)
            return state.isScheduled
        }
        // Each thread has its own round. The first round that ends schedules the deliveries of all threads.
        if !isScheduled { LoopIteration.whenOver { [self] in scheduleDelivery() } }
    }

    private func scheduleDelivery() {
        let isNeeded = state.withLock { state in
            guard !state.isScheduled, !state.waiting.isEmpty else { return false }
            state.isScheduled = true
            return true
        }
        if isNeeded { queue.execute { [self] in serve() } }
    }

    private func serve() {
        var waiting = state.withLock { state in
            defer { state = State() }
            return state.waiting
        }
        // Reversed, so that each is released before the next one runs.
        waiting.reverse()
        while let work = waiting.popLast() { work() }
    }
}

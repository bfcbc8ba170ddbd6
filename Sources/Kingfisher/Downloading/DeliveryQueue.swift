import KingfisherTransport
import Synchronization

/// Finished transfers on their way to a downloader's queue, those that end in one round of the
/// transport together.
///
/// Waking the queue's thread costs more than handing out a small body. Safe from any thread.
final class DeliveryQueue: Sendable {
    private struct State: Sendable {
        var waiting: [DownloadDelivery] = []
        /// The queue is about to take what waits.
        var isOnQueue = false
    }

    private let queue: CallbackQueue
    private let state = Mutex(State())

    /// `queue` runs one block after the other.
    init(_ queue: CallbackQueue) {
        self.queue = queue
    }

    /// Has a delivery run on the queue, after those that came before.
    func add(_ delivery: DownloadDelivery) {
        let isOnQueue = state.withLock { state in
            state.waiting.append(delivery)
            return state.isOnQueue
        }
        // Each thread that adds has its own round, and the first that is over hands on what all have added.
        if !isOnQueue { LoopRound.whenOver { [self] in handOn() } }
    }

    private func handOn() {
        let isNeeded = state.withLock { state in
            guard !state.isOnQueue, !state.waiting.isEmpty else { return false }
            state.isOnQueue = true
            return true
        }
        if isNeeded { queue.execute { [self] in serve() } }
    }

    private func serve() {
        var waiting = state.withLock { state in
            defer { state = State() }
            return state.waiting
        }
        // From the end: what was handed out is let go before the next one.
        waiting.reverse()
        while let delivery = waiting.popLast() { delivery.run() }
    }
}

import KingfisherTransport
import Synchronization

/// Finished transfers on their way to a downloader's queue, those that end in one round of the transport together.
///
/// Waking the queue's thread costs more than handing out a small body. Safe from any thread.
final class DeliveryLine: Sendable {
    private struct State: Sendable {
        var waiting: [DownloadDelivery] = []
        var isScheduled = false
    }

    private let queue: CallbackQueue
    private let state = Mutex(State())

    /// `queue` runs one block after the other.
    init(_ queue: CallbackQueue) {
        self.queue = queue
    }

    /// Has a delivery run on the queue, after those that came before.
    func add(_ delivery: DownloadDelivery) {
        let isScheduled = state.withLock { state in
            state.waiting.append(delivery)
            defer { state.isScheduled = true }
            return state.isScheduled
        }
        if isScheduled { return }
        LoopRound.whenOver { [self] in queue.execute { [self] in serve() } }
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

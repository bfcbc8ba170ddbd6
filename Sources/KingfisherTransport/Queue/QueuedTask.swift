import Dispatch
import Synchronization

/// A transfer that waits for its turn in a ``QueuedTransport``, and then passes on what happens to it.
final class QueuedTask: TransportTask, TransportHandler {
    private struct State {
        /// What to start with; gone once it has begun.
        var request: TransportRequest?
        var inner: (any TransportTask)?
        /// Let go at the end: a caller that keeps the task must not keep the handler.
        var handler: (any TransportHandler)?
        var isCancelled = false
    }

    private let id: TransferOrder.ID
    private let ticket: QueueTicket
    private let queue: QueuedTransport
    private let arrival = ContinuousClock.now
    private let state: Mutex<State>

    init(
        _ request: TransportRequest, id: TransferOrder.ID, ticket: QueueTicket, queue: QueuedTransport,
        handler: any TransportHandler
    ) {
        self.id = id
        self.ticket = ticket
        self.queue = queue
        state = Mutex(State(request: request, handler: handler))
    }

    /// Its turn has come.
    func begin(on transport: any Transport) {
        guard let request = state.withLock({ $0.request.take() }) else { return }
        ticket.addWait(.now - arrival)
        let inner = transport.start(request, handler: self)
        let isCancelled = state.withLock { state in
            // It may have ended before its start returned.
            if state.handler != nil { state.inner = inner }
            return state.isCancelled
        }
        // A cancel that came before the transfer was known.
        if isCancelled { inner.cancel() }
    }

    // MARK: The outer side

    func cancel() {
        if queue.withdraw(id) {
            // A handler is never called inside its own call to us.
            DispatchQueue.global().async { [self] in end(.failure(.cancelled)) }
            return
        }
        let inner = state.withLock { state in
            state.isCancelled = true
            return state.inner
        }
        inner?.cancel()
    }

    func resume() {
        state.withLock { $0.inner }?.resume()
    }

    func setPriority(_ priority: Float) {
        queue.reprioritise(id, to: priority)
    }

    // MARK: The transfer

    func transfer(_ task: any TransportTask, head: TransportResponse) -> HeadDecision {
        let handler = state.withLock { state in
            // Whoever answers the head may resume before `start` has returned.
            state.inner = task
            return state.isCancelled ? nil : state.handler
        }
        return handler?.transfer(self, head: head) ?? .cancel
    }

    func transfer(_ task: any TransportTask, body: UnsafeRawBufferPointer) -> Bool {
        let handler = state.withLock { $0.isCancelled ? nil : $0.handler }
        return handler?.transfer(self, body: body) ?? true
    }

    func transfer(_ task: any TransportTask, finished result: Result<TransportMetrics, TransportError>) {
        queue.finish(id, isMultiplexed: (try? result.get()).map { $0.protocolName == "HTTP/2" })
        // Before others start: the next hop of a fetch may take the place of the one that ends.
        end(result)
        queue.startNext()
    }

    private func end(_ result: Result<TransportMetrics, TransportError>) {
        let (handler, isCancelled) = state.withLock { state in
            defer { (state.handler, state.inner, state.request) = (nil, nil, nil) }
            return (state.handler, state.isCancelled)
        }
        handler?.transfer(self, finished: isCancelled ? .failure(.cancelled) : result)
    }
}

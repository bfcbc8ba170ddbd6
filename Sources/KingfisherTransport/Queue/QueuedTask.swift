import Dispatch
import FoundationNetworking
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
        /// Why the queue has ended it.
        var verdict: TransportError?
        /// Absent before its turn, and where no rate is asked for.
        var meter: RateMeter?
        var received = 0
        /// Waits for its handler, which is not the server's doing.
        var isPaused = false
        /// Tells a resume that comes while the handler is still answering.
        var resumes = 0
        /// Nothing is received meanwhile, and nothing here sees what is sent.
        var isUploading: Bool

        /// The handler, unless it must not be called any more before the end.
        var listener: (any TransportHandler)? { isCancelled || verdict != nil ? nil : handler }
    }

    let id: TransferOrder.ID
    let minimumRate: MinimumRate?
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
        minimumRate = request.limits.minimumRate
        let isUploading = request.urlRequest.httpBody != nil
        state = Mutex(State(request: request, handler: handler, isUploading: isUploading))
    }

    /// Its turn has come.
    func begin(on transport: any Transport) {
        let now = ContinuousClock.now
        let request = state.withLock { state in
            state.meter = minimumRate.map { RateMeter($0, at: now) }
            return state.request.take()
        }
        guard let request else { return }
        ticket.addWait(now - arrival)
        let inner = transport.start(request, handler: self)
        let mustEnd = state.withLock { state in
            // It may have ended before its start returned.
            if state.handler != nil { state.inner = inner }
            return state.listener == nil
        }
        // A cancel that came before the transfer was known.
        if mustEnd { inner.cancel() }
    }

    // MARK: The queue's side

    /// Whether the server has been too slow for a whole window, or a shorter one where it is crowded.
    func isSlow(at time: ContinuousClock.Instant, isCrowded: Bool) -> Bool {
        state.withLock { state in
            guard state.listener != nil, !state.isPaused, !state.isUploading else { return false }
            return state.meter?.isSlow(at: time, bytes: state.received, isCrowded: isCrowded) ?? false
        }
    }

    /// Ends it for being too slow, over a shorter window where its host is crowded.
    func endAsTooSlow(isCrowded: Bool) {
        let inner = state.withLock { state in
            state.verdict = minimumRate.map { limit in
                var judged = limit
                judged.window = RateMeter.window(of: limit, isCrowded: isCrowded)
                return .tooSlow(judged)
            }
            return state.inner
        }
        inner?.cancel()
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
        let inner = state.withLock { state in
            state.resumes += 1
            if state.isPaused {
                state.isPaused = false
                state.meter?.restart(at: .now, bytes: state.received)
            }
            return state.inner
        }
        inner?.resume()
    }

    func setPriority(_ priority: Float) {
        queue.reprioritise(id, to: priority)
    }

    // MARK: The transfer

    func transfer(_ task: any TransportTask, head: TransportResponse) -> HeadDecision {
        let (handler, resumes) = state.withLock { state in
            // Whoever answers the head may resume before `start` has returned.
            state.inner = task
            if state.isUploading {
                state.isUploading = false
                state.meter?.restart(at: .now, bytes: 0)
            }
            return (state.listener, state.resumes)
        }
        let decision = handler?.transfer(self, head: head) ?? .cancel
        if decision == .wait { pause(unlessResumedSince: resumes) }
        return decision
    }

    func transfer(_ task: any TransportTask, body: UnsafeRawBufferPointer) -> Bool {
        let (handler, resumes) = state.withLock { state in
            state.received += body.count
            return (state.listener, state.resumes)
        }
        guard let handler, !handler.transfer(self, body: body) else { return true }
        state.withLock { $0.received -= body.count }
        pause(unlessResumedSince: resumes)
        return false
    }

    private func pause(unlessResumedSince resumes: Int) {
        state.withLock { state in
            if state.resumes == resumes { state.isPaused = true }
        }
    }

    func transfer(_ task: any TransportTask, finished result: Result<TransportMetrics, TransportError>) {
        queue.finish(id, isMultiplexed: (try? result.get()).map { $0.protocolName == "HTTP/2" })
        // Before others start: the next hop of a fetch may take the place of the one that ends.
        end(result)
        queue.startNext()
    }

    private func end(_ result: Result<TransportMetrics, TransportError>) {
        let (handler, verdict) = state.withLock { state in
            defer { (state.handler, state.inner, state.request) = (nil, nil, nil) }
            return (state.handler, state.isCancelled ? .cancelled : state.verdict)
        }
        handler?.transfer(self, finished: verdict.map { .failure($0) } ?? result)
    }
}

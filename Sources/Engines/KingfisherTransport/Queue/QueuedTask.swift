import Dispatch
import Foundation
import FoundationNetworking
import Synchronization

/// A transfer that waits in a ``QueuedTransport`` and, once started, forwards its events.
final class QueuedTask: TransportTask, TransportHandler {
    private struct State {
        /// The request to start with; nil if it does not wait.
        var request: TransportRequest?
        var inner: (any TransportTask)?
        /// Released at the end, so that a caller that retains the task does not retain the handler.
        var handler: (any TransportHandler)?
        var isCancelled = false
        var verdict: TransportError?
        /// Nil without a minimum rate.
        var meter: RateMeter?
        var received = 0
        /// Whether it waits for its handler. The server is not responsible for this time.
        var isPaused = false
        /// When the queue was suspended; nil while it is not.
        var suspension: MonotonicTime?
        /// Counts resumes, to detect one that arrives while the handler is still returning.
        var resumes = 0
        /// During an upload, nothing is received, and the sent bytes are not visible here.
        var isUploading: Bool

        /// Returns the time of the suspension.
        mutating func endSuspension(at time: @autoclosure () -> MonotonicTime) -> Duration {
            guard let start = suspension.take() else { return .zero }
            let end = time()
            meter?.restart(at: end, bytes: received)
            return end - start
        }

        var listener: (any TransportHandler)? { isCancelled || verdict != nil ? nil : handler }
    }

    let id: TransferOrder.ID
    let minimumRate: MinimumRate?
    private let ticket: QueueTicket
    private let queue: QueuedTransport
    private let arrival: MonotonicTime
    private let state: Mutex<State>

    /// - Parameter waits: Whether `begin(on:)` starts the request, not the caller.
    init(
        _ request: TransportRequest, waits: Bool, id: TransferOrder.ID, ticket: QueueTicket,
        queue: QueuedTransport, handler: any TransportHandler, at time: MonotonicTime
    ) {
        self.id = id
        arrival = time
        self.ticket = ticket
        self.queue = queue
        minimumRate = request.limits.minimumRate
        let isUploading = request.urlRequest.httpBody != nil
        state = Mutex(
            State(
                request: waits ? request : nil, handler: handler,
                meter: minimumRate.map { RateMeter($0, at: time) }, isUploading: isUploading))
    }

    func begin(on transport: any Transport) {
        let now = MonotonicTime.now
        let request = state.withLock { state in
            state.meter?.restart(at: now, bytes: 0)
            return state.request.take()
        }
        guard let request else { return }
        ticket.addWait(now - arrival)
        begin(request, on: transport)
    }

    func begin(_ request: TransportRequest, on transport: any Transport) {
        let inner = transport.start(request, handler: self)
        let mustEnd = state.withLock { state in
            // The transfer may have ended before `start` returned.
            if state.handler != nil { state.inner = inner }
            return state.listener == nil
        }
        // A cancel before `inner` was known.
        if mustEnd { inner.cancel() }
    }

    // MARK: The queue's side

    func isSlow(at time: MonotonicTime, isCrowded: Bool) -> Bool {
        state.withLock { state in
            guard state.request == nil, state.listener != nil, !state.isPaused, !state.isUploading,
                state.suspension == nil
            else { return false }
            return state.meter?.isSlow(at: time, bytes: state.received, isCrowded: isCrowded) ?? false
        }
    }

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

    /// The time of a suspension counts as a wait.
    func setSuspended(_ isSuspended: Bool, at time: MonotonicTime) {
        let wait = state.withLock { state in
            guard isSuspended else { return state.endSuspension(at: time) }
            state.suspension = state.suspension ?? time
            return .zero
        }
        ticket.addWait(wait)
    }

    /// Ends a transfer that was not started. Asynchronously: a handler is never called inside its own call,
    /// or inside one of another transfer.
    func endAsynchronously(with error: TransportError) {
        DispatchQueue.global().async { [self] in end(.failure(error)) }
    }

    // MARK: The outer side

    func cancel() {
        if queue.withdraw(id) { return endAsynchronously(with: .cancelled) }
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
        // Before the handler, which may start the next request to the host.
        if let wait = RetryAfter.wait(
            status: head.status, field: { head.value(forField: $0) }, now: Date())
        {
            queue.block(id, for: wait)
        }
        let (handler, resumes) = state.withLock { state in
            // The handler may resume before `start` has returned.
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
        // Before others start, because the next hop of the same fetch may take the slot.
        end(result)
        queue.startNext()
    }

    private func end(_ result: Result<TransportMetrics, TransportError>) {
        let (handler, verdict, wait) = state.withLock { state in
            defer { (state.handler, state.inner, state.request) = (nil, nil, nil) }
            let verdict = state.isCancelled ? .cancelled : state.verdict
            return (state.handler, verdict, state.endSuspension(at: .now))
        }
        ticket.addWait(wait)
        handler?.transfer(self, finished: verdict.map { .failure($0) } ?? result)
    }
}

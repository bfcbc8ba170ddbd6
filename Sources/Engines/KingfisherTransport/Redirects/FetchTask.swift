import Foundation
import FoundationNetworking
import Synchronization

/// One fetch: receives the callbacks of the current exchange and forwards the callbacks of the last one.
///
/// The decisions are made by ``FetchState``, a value under a lock. This class performs them after the lock is
/// released, so no handler, hook or transport is called under it. Exchanges do not overlap, so the callbacks
/// are also serial for the outer handler.
final class FetchTask: TransportTask, TransportHandler {
    private struct Storage {
        var state: FetchState
        var inner: (any TransportTask)?
        /// Released at the end, together with the hooks, so that a caller that retains the task does not
        /// retain what they hold.
        var handler: (any TransportHandler)?
        var hooks: FetchHooks
        var priority: Float
    }

    private let fetch: HTTPFetch
    private let credentials: CredentialStore
    private let ticket: QueueTicket
    private let storage: Mutex<Storage>

    init(
        _ request: TransportRequest, of fetch: HTTPFetch, hooks: FetchHooks, handler: any TransportHandler
    ) {
        self.fetch = fetch
        credentials = fetch.credentials ?? CredentialStore()
        ticket = request.ticket ?? QueueTicket()
        storage = Mutex(
            Storage(
                state: FetchState(request, rules: fetch.rules, asks: hooks.present),
                handler: handler, hooks: hooks, priority: request.priority))
    }

    // MARK: The outer side

    func cancel() {
        let effect = storage.withLock { $0.state.cancel() }
        perform(effect)
    }

    func resume() {
        let effect = storage.withLock { $0.state.resume() }
        perform(effect)
    }

    func setPriority(_ priority: Float) {
        let inner = storage.withLock { storage in
            storage.priority = priority
            return storage.inner
        }
        inner?.setPriority(priority)
    }

    // MARK: Exchanges

    /// The fetch's clock. It does not advance while an exchange waits in a queue or is suspended.
    private var time: MonotonicTime { .now - ticket.waited }

    func startExchange() {
        let (next, priority, exchange) = storage.withLock { storage in
            (storage.state.nextRequest(at: time), storage.priority, storage.state.exchanges)
        }
        guard var request = next else { return finish(.failure(.timedOut(.total))) }
        request.priority = priority
        request.ticket = ticket
        authorize(&request.urlRequest)
        if request.hasCredentials { storage.withLock { $0.state.sendsCredentials() } }
        fetch.cookies?.apply(to: &request.urlRequest)
        let inner = fetch.transport.start(request, handler: self)
        let (isCancelled, newPriority) = storage.withLock { storage in
            // The next exchange may have started before `start` returned.
            if storage.state.exchanges == exchange, storage.handler != nil { storage.inner = inner }
            return (storage.state.isCancelled, storage.priority)
        }
        // Calls that arrived before the task was known.
        if isCancelled { inner.cancel() }
        if newPriority != priority { inner.setPriority(newPriority) }
    }

    /// Adds the requested credential, or one that was accepted before, unless the request has its own.
    private func authorize(_ request: inout URLRequest) {
        var authorization = storage.withLock(\.state.sent)
        if authorization == nil, let known = credentials.knownAuthorization(for: request),
            request.value(forHTTPHeaderField: "Authorization") == nil,
            storage.withLock({ $0.state.allows(known) })
        {
            authorization = known
            storage.withLock { $0.state.sends(known) }
        }
        guard let authorization else { return }
        request.setValue(
            credentials.fieldValue(of: authorization, for: request), forHTTPHeaderField: "Authorization")
    }

    func transfer(_ task: any TransportTask, head: TransportResponse) -> HeadDecision {
        if let cookies = fetch.cookies {
            let lines = head.cookieLines
            if !lines.isEmpty {
                let first = storage.withLock { $0.state.outer.urlRequest }
                cookies.take(lines, from: head.url, fetchedFor: first.mainDocumentURL ?? first.url)
            }
        }
        let step = storage.withLock { storage in
            // The handler may resume before `start` has returned.
            storage.inner = task
            return storage.state.takeHead(head, credentials: credentials)
        }
        switch step {
        case .deliver: return deliver(head)
        case .drain: return .proceed
        case .end: return .cancel
        case .ask(let newRequest, let exchange):
            // A redirect that Foundation rejects cannot be passed to the hook.
            guard let response = head.httpURLResponse else { return .cancel }
            hooks.redirect?(head, response, newRequest) { [self] decision in
                perform(storage.withLock { $0.state.answer(decision, exchange: exchange) }, on: task)
            }
            return .wait
        case .askForCredential(let question, let exchange):
            hooks.credential?(question) { [self] decision in
                perform(storage.withLock { $0.state.answer(decision, exchange: exchange) }, on: task)
            }
            return .wait
        }
    }

    func transfer(_ task: any TransportTask, body: UnsafeRawBufferPointer) -> Bool {
        let (step, handler) = storage.withLock { ($0.state.takeBody(body.count), $0.handler) }
        switch step {
        case .discard: return true
        case .end:
            task.cancel()
            return true
        case .deliverHeadFirst(let head):
            switch deliver(head) {
            case .proceed: break
            case .wait:
                // The handler may have resumed while it was still returning.
                if storage.withLock({ $0.state.isHeld }) { return false }
            case .cancel:
                task.cancel()
                return true
            }
            return handler?.transfer(self, body: body) ?? true
        case .deliver: return handler?.transfer(self, body: body) ?? true
        }
    }

    func transfer(_ task: any TransportTask, finished result: Result<TransportMetrics, TransportError>) {
        switch storage.withLock({ $0.state.endHop(result, at: time) }) {
        case .startNext: startExchange()
        case .finish(let result): finish(result)
        case .deliverHeadFirst(let head, let result):
            switch deliver(head) {
            case .proceed: finish(result)
            case .cancel: finish(.failure(.cancelled))
            case .wait: if storage.withLock({ $0.state.holdEnd(result) }) == false { finish(result) }
            }
        }
    }

    // MARK: Effects

    private var hooks: FetchHooks { storage.withLock { $0.hooks } }

    private func deliver(_ head: TransportResponse) -> HeadDecision {
        let handler = storage.withLock { storage in
            storage.state.willDeliverHead()
            return storage.handler
        }
        let decision = handler?.transfer(self, head: head) ?? .cancel
        storage.withLock { $0.state.didDeliverHead(decision) }
        return decision
    }

    private func perform(_ step: FetchState.AnswerStep?, on task: any TransportTask) {
        switch step {
        case nil: break
        case .resume: task.resume()
        case .end: task.cancel()
        }
    }

    private func perform(_ effect: FetchState.OuterEffect) {
        switch effect {
        case .none: break
        case .cancelHop: storage.withLock { $0.inner }?.cancel()
        case .resumeHop: storage.withLock { $0.inner }?.resume()
        // Asynchronously: the hop's thread has ended its work, and a handler is never called inside its own
        // call.
        case .finish(let result): DispatchQueue.global().async { self.finish(result) }
        }
    }

    private func finish(_ result: Result<TransportMetrics, TransportError>) {
        // Taken out, so that they are released outside the lock.
        let (handler, _, result) = storage.withLock { storage in
            defer { (storage.handler, storage.inner, storage.hooks) = (nil, nil, FetchHooks()) }
            return (
                storage.handler, storage.hooks, storage.state.isCancelled ? .failure(.cancelled) : result
            )
        }
        handler?.transfer(self, finished: result)
    }
}

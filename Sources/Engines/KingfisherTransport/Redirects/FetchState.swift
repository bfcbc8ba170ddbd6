import Foundation
import FoundationNetworking

/// The state of a fetch and its next step. It calls no transport and no handler.
struct FetchState {
    enum HeadStep {
        case deliver, drain, end
        case ask(URLRequest, exchange: Int)
        case askForCredential(AuthenticationQuestion, exchange: Int)
    }
    /// Whether the exchange that waited for a hook goes on or ends with its head.
    enum AnswerStep { case resume, end }
    enum BodyStep { case deliver, discard, end, deliverHeadFirst(TransportResponse) }
    enum EndStep {
        case startNext
        case finish(Result<TransportMetrics, TransportError>)
        case deliverHeadFirst(TransportResponse, Result<TransportMetrics, TransportError>)
    }
    enum OuterEffect { case none, cancelHop, resumeHop, finish(Result<TransportMetrics, TransportError>) }

    private enum Next {
        case redirect(URLRequest)
        case again(Authorization)
    }

    private enum Mode {
        case running
        /// The hook is deciding about this response; the proposed request has been checked.
        case asking(TransportResponse, proposed: URLRequest)
        case askingForCredential(TransportResponse)
        /// The body is read and discarded, so that the connection can be reused.
        case draining(Next, bytes: Int)
        case failing(TransportError)
        /// The response is delivered to the handler, starting with `pendingHead` if it is not nil.
        case delivering(pendingHead: TransportResponse?)
        case heldEnd(Result<TransportMetrics, TransportError>)
        case ended
    }

    /// Draining a longer body costs more than a new connection.
    static let maxDrainedBytes = 16 << 10

    /// The original request; its address policy and TLS settings apply to every hop.
    let outer: TransportRequest
    private let rules: RedirectRules
    private let asks: FetchHooks.Present
    /// Of the first and of the current exchange; nil before it.
    private var start: MonotonicTime?
    private var hopStart: MonotonicTime?
    private var request: URLRequest
    /// The number of redirects that were followed. Also identifies the current hop.
    private(set) var hops = 0
    /// The number of completed exchanges. A hop takes several if a server requests a credential.
    private(set) var exchanges = 0
    private var rounds = AuthenticationRounds()
    private var demanded: Authorization?
    private(set) var sent: Authorization?
    private var mode = Mode.running
    private var sum = TransportMetrics()
    private(set) var isCancelled = false
    private var hadCredentials = false
    /// Whether the handler returned `.wait` for a head that was delivered late, and has not resumed.
    private(set) var isHeld = false
    private var wasResumedInHead = false

    init(_ request: TransportRequest, rules: RedirectRules, asks: FetchHooks.Present) {
        outer = request
        self.request = request.urlRequest
        self.rules = rules
        self.asks = asks
        takeLogin()
    }

    /// The request of the next exchange, with the remaining total time; `nil` if no time is left. It needs
    /// the authorization ``sent``.
    mutating func nextRequest(at time: MonotonicTime) -> TransportRequest? {
        var hopLimits = outer.limits
        if let total = outer.limits.total {
            let left = total - (time - (start ?? time))
            guard left > .zero || exchanges == 0 else { return nil }
            hopLimits.total = left
        }
        (start, hopStart) = (start ?? time, time)
        mode = .running
        sent = demanded.take()
        var next = outer
        (next.urlRequest, next.limits) = (request, hopLimits)
        return next
    }

    mutating func sends(_ authorization: Authorization) { sent = authorization }

    mutating func sendsCredentials() { hadCredentials = true }

    func allows(_ known: Authorization) -> Bool {
        request.url.flatMap(Origin.init).map { rounds.allows(known, at: $0) } ?? true
    }

    private mutating func takeLogin() {
        guard let url = request.url else { return }
        let clean = url.withoutUserInfo
        guard clean != url else { return }
        rounds.takeLogin(from: url)
        hadCredentials = true
        request.url = clean
    }

    mutating func takeHead(_ head: TransportResponse, credentials: CredentialStore) -> HeadStep {
        guard !isCancelled else { return .end }
        if let step = takeVerdict(head, credentials) { return step }
        switch rules.decide(head, to: request, hops: hops) {
        case .deliver:
            mode = .delivering(pendingHead: nil)
            return .deliver
        case .fail(let error):
            mode = .failing(error)
            return .end
        case .follow(let next):
            if asks.redirect {
                mode = .asking(head, proposed: next)
                return .ask(next, exchange: exchanges)
            }
            return drain(.redirect(next), after: head)
        }
    }

    private mutating func takeVerdict(_ head: TransportResponse, _ credentials: CredentialStore) -> HeadStep?
    {
        guard head.status == 401 || sent != nil, let url = request.url, let origin = Origin(url) else {
            return nil
        }
        guard head.status == 401 else {
            if let sent, sent.isKept, !sent.isReused, head.status != 407 {
                credentials.remember(sent, for: url)
            }
            return nil
        }
        // Another caller's credential must not replace the one that this request has.
        let isOwn = request.value(forHTTPHeaderField: "Authorization") != nil
        let step = rounds.take(
            head, from: origin, sent: sent,
            known: { isOwn ? nil : credentials.authorization(for: $0, at: origin) },
            forget: { credentials.forget($0, at: origin) })
        switch step {
        case .deliver: return nil
        case .again(let authorization):
            return drain(.again(authorization), after: head)
        case .ask(let question) where asks.credential:
            mode = .askingForCredential(head)
            return .askForCredential(question, exchange: exchanges)
        case .ask:
            return rounds.authorization(for: .standard).map { drain(.again($0), after: head) }
        }
    }

    /// Applies the hook's decision. Returns `nil` if it is not the first one or too late.
    mutating func answer(_ decision: AuthenticationDecision, exchange: Int) -> AnswerStep? {
        guard case .askingForCredential(let head) = mode, exchange == exchanges, !isCancelled else {
            return nil
        }
        if case .cancel = decision { return fail(.cancelled) }
        guard let authorization = rounds.authorization(for: decision) else { return deliverLater(head) }
        return drain(.again(authorization), after: head)
    }

    mutating func answer(_ decision: RedirectDecision, exchange: Int) -> AnswerStep? {
        guard case .asking(let head, let proposed) = mode, exchange == exchanges, !isCancelled else {
            return nil
        }
        guard case .follow(let chosen) = decision else { return deliverLater(head) }
        switch rules.check(chosen, insteadOf: proposed, after: request) {
        case .follow(let next): return drain(.redirect(next), after: head)
        case .fail(let error): return fail(error)
        case .deliver: return deliverLater(head)
        }
    }

    mutating func takeBody(_ count: Int) -> BodyStep {
        guard !isCancelled else { return .end }
        switch mode {
        case .delivering(pendingHead: nil): return .deliver
        case .delivering(let head?): return .deliverHeadFirst(head)
        case .draining(let next, let bytes):
            mode = .draining(next, bytes: bytes + count)
            return bytes + count > Self.maxDrainedBytes ? .end : .discard
        case .running, .asking, .askingForCredential, .failing, .heldEnd, .ended: return .end
        }
    }

    mutating func endHop(
        _ result: Result<TransportMetrics, TransportError>, at time: @autoclosure () -> MonotonicTime
    ) -> EndStep {
        defer { mode = .ended }
        if isCancelled { return .finish(.failure(.cancelled)) }
        switch mode {
        case .failing(let error): return .finish(.failure(error))
        case .draining(let next, _):
            // The exchange was cancelled here or truncated by the server, but its head suffices. An exceeded
            // time limit still counts.
            if case .failure(.timedOut(let phase)) = result { return .finish(.failure(.timedOut(phase))) }
            switch next {
            case .redirect(let next):
                hops += 1
                request = next
                takeLogin()
            case .again(let authorization): demanded = authorization
            }
            exchanges += 1
            addExchange(try? result.get(), at: time())
            return .startNext
        case .delivering(let head?): return .deliverHeadFirst(head, aggregate(result))
        case .running, .asking, .askingForCredential, .delivering(nil), .heldEnd, .ended:
            return .finish(aggregate(result))
        }
    }

    // MARK: Late delivery of a head

    mutating func willDeliverHead() {
        if case .delivering = mode { mode = .delivering(pendingHead: nil) }
        wasResumedInHead = false
    }

    mutating func didDeliverHead(_ decision: HeadDecision) {
        isHeld = decision == .wait && !wasResumedInHead
    }

    mutating func holdEnd(_ result: Result<TransportMetrics, TransportError>) -> Bool {
        guard isHeld, !isCancelled else { return false }
        mode = .heldEnd(result)
        return true
    }

    // MARK: The outer task

    mutating func cancel() -> OuterEffect {
        guard !isCancelled else { return .none }
        isCancelled = true
        if case .heldEnd = mode {
            mode = .ended
            return .finish(.failure(.cancelled))
        }
        return .cancelHop
    }

    mutating func resume() -> OuterEffect {
        wasResumedInHead = true
        isHeld = false
        switch mode {
        case .heldEnd(let result):
            mode = .ended
            return .finish(result)
        // The hop waits for the hook, not for the handler.
        case .asking, .askingForCredential: return .none
        default: return .resumeHop
        }
    }

    // MARK: Parts

    private mutating func drain(_ next: Next, after head: TransportResponse) -> AnswerStep {
        mode = .draining(next, bytes: 0)
        return head.announcedBodyBytes ?? 0 > Self.maxDrainedBytes ? .end : .resume
    }

    private mutating func drain(_ next: Next, after head: TransportResponse) -> HeadStep {
        switch drain(next, after: head) as AnswerStep {
        case .resume: .drain
        case .end: .end
        }
    }

    private mutating func fail(_ error: TransportError) -> AnswerStep {
        mode = .failing(error)
        return .end
    }

    private mutating func deliverLater(_ head: TransportResponse) -> AnswerStep {
        mode = .delivering(pendingHead: head)
        return .resume
    }

    private mutating func addExchange(_ metrics: TransportMetrics?, at time: MonotonicTime) {
        var exchange = metrics ?? TransportMetrics()
        exchange.total = hopStart.map { (time - $0).seconds } ?? 0
        sum = sum.adding(exchange)
        sum.redirectCount = hops
    }

    private func aggregate(
        _ result: Result<TransportMetrics, TransportError>
    ) -> Result<TransportMetrics, TransportError> {
        result.map { last in
            var all = exchanges == 0 ? last : sum.adding(last)
            if hadCredentials { all.hadCredentials = true }
            return all
        }
    }
}

extension TransportMetrics {
    fileprivate func adding(_ next: TransportMetrics) -> TransportMetrics {
        var sum = next
        sum.dns += dns
        sum.connect += connect
        sum.tls += tls
        sum.firstByte += total
        sum.total += total
        sum.bytesSent += bytesSent
        sum.bytesReceived += bytesReceived
        sum.bytesDecoded += bytesDecoded
        sum.redirectCount = redirectCount
        return sum
    }
}

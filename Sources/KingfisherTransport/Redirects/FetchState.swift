import Foundation
import FoundationNetworking

/// Where a fetch stands and what comes next; it touches no transport and no handler.
struct FetchState {
    enum HeadStep { case deliver, drain, end, ask(URLRequest, hop: Int) }
    enum BodyStep { case deliver, discard, end, deliverHeadFirst(HTTPURLResponse) }
    enum EndStep {
        case startNext
        case finish(Result<TransportMetrics, TransportError>)
        case deliverHeadFirst(HTTPURLResponse, Result<TransportMetrics, TransportError>)
    }
    enum OuterEffect { case none, cancelHop, resumeHop, finish(Result<TransportMetrics, TransportError>) }

    private enum Mode {
        /// The hop's response is not known yet.
        case running
        /// The hook is deciding about this response; the proposed request was checked.
        case asking(HTTPURLResponse)
        /// The body of a redirect is read and dropped, so that its connection can be used again.
        case draining(URLRequest, bytes: Int)
        case failing(TransportError)
        /// The response goes to the handler; a head still to be delivered comes along.
        case delivering(pendingHead: HTTPURLResponse?)
        /// All is received, but the handler waits before it wants to know.
        case heldEnd(Result<TransportMetrics, TransportError>)
        case ended
    }

    /// A longer body of a redirect costs more than a new connection.
    static let maxDrainedBytes = 16 << 10

    private let limits: TransportLimits
    private let rules: RedirectRules
    private let asksHook: Bool
    private let start: ContinuousClock.Instant
    private var hopStart: ContinuousClock.Instant
    private var request: URLRequest
    /// How many redirects were followed, which also numbers the hop that runs.
    private(set) var hops = 0
    private var mode = Mode.running
    private var sum = TransportMetrics()
    private(set) var isCancelled = false
    /// The handler answered `.wait` to a head that was delivered late, and has not resumed since.
    private(set) var isHeld = false
    private var wasResumedInHead = false

    init(_ request: TransportRequest, rules: RedirectRules, asksHook: Bool, at time: ContinuousClock.Instant)
    {
        limits = request.limits
        self.request = request.urlRequest
        self.rules = rules
        self.asksHook = asksHook
        (start, hopStart) = (time, time)
    }

    /// The next hop's request with what is left of the total time, or `nil` when nothing is.
    mutating func hopRequest(at time: ContinuousClock.Instant) -> TransportRequest? {
        var hopLimits = limits
        if let total = limits.total {
            let left = total - (time - start)
            guard left > .zero || hops == 0 else { return nil }
            hopLimits.total = left
        }
        hopStart = time
        mode = .running
        return TransportRequest(request, limits: hopLimits)
    }

    mutating func takeHead(_ head: HTTPURLResponse) -> HeadStep {
        guard !isCancelled else { return .end }
        switch rules.decide(head, to: request, hops: hops) {
        case .deliver:
            mode = .delivering(pendingHead: nil)
            return .deliver
        case .fail(let error):
            mode = .failing(error)
            return .end
        case .follow(let next):
            if asksHook {
                mode = .asking(head)
                return .ask(next, hop: hops)
            }
            return follow(next, announced: head.announcedBodyBytes)
        }
    }

    /// Takes the hook's answer; `false` when it is not the first, or too late.
    mutating func answer(_ decision: RedirectDecision, hop: Int) -> Bool {
        guard case .asking(let head) = mode, hop == hops, !isCancelled else { return false }
        switch decision {
        case .deliver: mode = .delivering(pendingHead: head)
        case .follow(let proposed):
            switch rules.check(proposed, after: request) {
            case .follow(let next): mode = .draining(next, bytes: 0)
            case .fail(let error): mode = .failing(error)
            case .deliver: mode = .delivering(pendingHead: head)
            }
        }
        return true
    }

    mutating func takeBody(_ count: Int) -> BodyStep {
        guard !isCancelled else { return .end }
        switch mode {
        case .delivering(pendingHead: nil): return .deliver
        case .delivering(let head?): return .deliverHeadFirst(head)
        case .draining(let next, let bytes):
            mode = .draining(next, bytes: bytes + count)
            return bytes + count > Self.maxDrainedBytes ? .end : .discard
        case .running, .asking, .failing, .heldEnd, .ended: return .end
        }
    }

    mutating func endHop(
        _ result: Result<TransportMetrics, TransportError>, at time: ContinuousClock.Instant
    ) -> EndStep {
        defer { mode = .ended }
        if isCancelled { return .finish(.failure(.cancelled)) }
        switch mode {
        case .failing(let error): return .finish(.failure(error))
        case .draining(let next, _):
            // Cancelled by ourselves or broken off by the server: the redirect was understood all the same. A limit
            // of time is another matter.
            if case .failure(.timedOut(let phase)) = result { return .finish(.failure(.timedOut(phase))) }
            addRedirect(try? result.get(), at: time)
            request = next
            hops += 1
            return .startNext
        case .delivering(let head?): return .deliverHeadFirst(head, aggregate(result))
        case .running, .asking, .delivering(nil), .heldEnd, .ended: return .finish(aggregate(result))
        }
    }

    // MARK: A head that is delivered late

    mutating func willDeliverHead() {
        if case .delivering = mode { mode = .delivering(pendingHead: nil) }
        wasResumedInHead = false
    }

    mutating func didDeliverHead(_ decision: HeadDecision) {
        isHeld = decision == .wait && !wasResumedInHead
    }

    /// Keeps the end until the handler resumes; `false` when it has done so already.
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
        // The hook's answer is what a hop waits for then, not the handler's.
        case .asking: return .none
        default: return .resumeHop
        }
    }

    // MARK: Parts

    private mutating func follow(_ next: URLRequest, announced: Int?) -> HeadStep {
        mode = .draining(next, bytes: 0)
        return announced ?? 0 > Self.maxDrainedBytes ? .end : .drain
    }

    private mutating func addRedirect(_ metrics: TransportMetrics?, at time: ContinuousClock.Instant) {
        var hop = metrics ?? TransportMetrics()
        hop.total = (time - hopStart).seconds
        sum = sum.adding(hop)
        sum.redirectCount = hops + 1
    }

    private func aggregate(
        _ result: Result<TransportMetrics, TransportError>
    ) -> Result<TransportMetrics, TransportError> {
        result.map { hops == 0 ? $0 : sum.adding($0) }
    }
}

extension TransportMetrics {
    /// This metrics of earlier hops and those of the hop that followed.
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

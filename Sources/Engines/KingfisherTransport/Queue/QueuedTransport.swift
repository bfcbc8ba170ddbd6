import KingfisherConcurrency
import Dispatch
import FoundationNetworking
import Synchronization

/// Starts transfers of another transport in the order of their priority, with a limit per host.
///
/// Of the waiting transfers, the one with the highest ``TransportRequest/priority`` whose host has a free
/// slot starts first; among equals, the earliest. Two that get their slots at the same time start on
/// different threads, in any order. A transfer keeps its slot until it has finished, even while its handler
/// pauses it. Waiting does not raise a priority: low priorities wait as long as higher ones arrive. The next
/// hop of a redirect keeps the arrival of its fetch.
///
/// A transfer below its ``TransportLimits/minimumRate`` loses its slot if another one waits for it. It
/// continues without a slot or, if there are too many such transfers, ends with
/// ``TransportError/tooSlow(_:)``.
///
/// With a ``requestRate``, transfers also wait for the rate of their host, and for a host that has refused a
/// request: after a response with status 429, or 503 with `Retry-After`, none starts for the time that
/// `Retry-After` names (seconds or a date; 1 second after a 429 without it; at most an hour). A transfer that
/// would wait more than 60 seconds for that ends with ``TransportError/throttled(retryAfter:)``. Other hosts
/// are not delayed. At most 1,000 hosts are remembered.
///
/// A host is a scheme, a name and a port. Spellings of one IPv4 address, and a name with and without a dot at
/// its end, are one host. Transfers with an ``AddressPolicy`` other than `any` have a limit for the host over
/// all ports in addition: four times ``Limits/perHost``, or ``Limits/perMultiplexedHost`` if that is larger
/// and the host has used HTTP/2.
///
/// A queue that is released while transfers wait or run still completes them.
public final class QueuedTransport: Transport {
    /// The maximum numbers of concurrent transfers. Values below 1 count as 1.
    public struct Limits: Sendable, Hashable {
        /// For one host (scheme, host and port) over connections that carry one transfer each.
        public var perHost = 6
        /// For one https host that last used HTTP/2, where transfers share a connection. 100 is libcurl's
        /// maximum per connection.
        public var perMultiplexedHost = 100
        /// For all hosts together, so that they cannot use all file descriptors of the process.
        public var total = 256
        /// In addition to ``total``: one for each host without a running transfer, so that a few busy hosts
        /// cannot block all others.
        public var reserve = 128
        /// The maximum number of slow transfers to one host that continue without a slot, bounded by the
        /// number of the host's slots.
        public var slowPerHost = 4
        /// The maximum number of slow transfers to all hosts together.
        public var slowTotal = 64

        public init() {}

        var slowOfOneHost: Int { min(slowPerHost, slots) }

        package var connectionsPerHost: Int { slots + max(0, slowOfOneHost) }

        /// For one host over all schemes and ports, if an address policy applies: the URLs are untrusted, and
        /// each port would have the slots of a host.
        var perHostOnAllPorts: Int { 4 * slots }

        /// The same for a host that has used HTTP/2, so that one port can use its slots.
        var multiplexedOnAllPorts: Int {
            max(perHostOnAllPorts, min(perMultiplexedHost, Self.mostSlots) + max(0, slowOfOneHost))
        }

        private static let mostSlots = 1 << 20

        private var slots: Int { min(max(1, perHost), Self.mostSlots) }
    }

    private struct State {
        var order: TransferOrder
        var waiting: [TransferOrder.ID: QueuedTask] = [:]
        var started: [TransferOrder.ID: QueuedTask] = [:]
        var isWatching = false
        var isInvalidated = false
        /// The times of the pending wake-ups; each is earlier than the one before it.
        var wakes: [MonotonicTime] = []

        mutating func startNext() -> QueuedTask? {
            if order.isPaced { order.advance(to: .now) }
            guard let id = order.next(), let task = waiting.removeValue(forKey: id) else { return nil }
            started[id] = task
            return task
        }

        mutating func enter(
            _ request: TransportRequest, at origin: Origin, _ rank: TransferOrder.Rank, _ now: MonotonicTime
        ) -> Arrival {
            if order.isPaced {
                order.advance(to: now)
                if let wait = order.refusal(origin) { return .refused(.throttled(retryAfter: wait.seconds)) }
            }
            let sharesHost = request.addressPolicy.isGuarded
            if let id = order.start(at: origin, rank, sharesHost: sharesHost) { return .started(id) }
            if let limit = request.waitLimit,
                !order.mayWait(at: origin, sharesHost: sharesHost, limit: limit)
            {
                return .refused(.queueFull(waiting: order.limited))
            }
            return .waiting(
                order.enqueue(
                    at: origin, rank, sharesHost: sharesHost, isLimited: request.waitLimit != nil))
        }

        /// Whether the caller must start to watch for slow transfers.
        mutating func startsWatching() -> Bool {
            defer { isWatching = true }
            return !isWatching
        }

        /// The time of a wake-up to schedule; nil if none is needed, or one that is early enough is pending.
        mutating func nextWake() -> MonotonicTime? {
            guard let due = order.nextDue else { return nil }
            let wake = min(due, .now + QueuedTransport.longestInterval)
            if let pending = wakes.last, pending <= wake { return nil }
            wakes.append(wake)
            return wake
        }
    }

    /// What happens to a transfer that is new in the queue.
    private enum Arrival {
        case started(TransferOrder.ID)
        case waiting(TransferOrder.ID)
        case refused(TransportError)

        var id: TransferOrder.ID {
            switch self {
            case .started(let id), .waiting(let id): id
            case .refused: TransferOrder.unlisted
            }
        }

        var starts: Bool { if case .started = self { true } else { false } }
        var waits: Bool { if case .waiting = self { true } else { false } }
    }

    private enum Step {
        case begin(QueuedTask, watches: Bool)
        case wake(at: MonotonicTime)
    }

    package let base: any Transport
    private let state: Mutex<State>

    /// Creates a queue in front of `base`.
    public init(_ base: any Transport, limits: Limits = Limits()) {
        self.base = base
        state = Mutex(State(order: TransferOrder(limits)))
    }

    /// The number of waiting transfers.
    public var waitingTransfers: Int { state.withLock { $0.order.waiting } }

    /// The number of slow transfers that continue without a slot.
    public var slowTransfers: Int { state.withLock { $0.order.outside } }

    /// The maximum rate of requests to one host. With nil, the default, there is no limit, and refusals by
    /// hosts have no effect. A change also applies to waiting transfers.
    public var requestRate: RequestRate? {
        get { state.withLock(\.order.rate) }
        set {
            state.withLock { $0.order.setRate(newValue, at: .now) }
            startNextAsynchronously()
        }
    }

    /// Whether the queue is suspended: transfers wait, redirects of started ones included. Started transfers
    /// are suspended by their transport; here, the time counts for none of their limits.
    package var isSuspended: Bool {
        get { state.withLock(\.order.isSuspended) }
        set {
            let started = state.withLock { state in
                state.order.isSuspended = newValue
                return Array(state.started.values)
            }
            for task in started { task.setSuspended(newValue, at: .now) }
            if !newValue { startNextAsynchronously() }
        }
    }

    /// For callers that hold a lock.
    private func startNextAsynchronously() { DispatchQueue.global().async { [self] in startNext() } }

    public func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask {
        // A request without a host does not wait; the transport reports the error.
        guard let origin = request.urlRequest.url.flatMap(Origin.init)?.unified else {
            return base.start(request, handler: handler)
        }
        let (ticket, now) = (request.ticket ?? QueueTicket(), MonotonicTime.now)
        let rank = TransferOrder.Rank(priority: request.priority, arrival: ticket.arrival)
        let entry: (task: QueuedTask, arrival: Arrival, watches: Bool)? = state.withLock { state in
            guard !state.isInvalidated else { return nil }
            let arrival = state.enter(request, at: origin, rank, now)
            let task = QueuedTask(
                request, waits: arrival.waits, id: arrival.id, ticket: ticket, queue: self, handler: handler,
                at: now)
            switch arrival {
            case .started(let id): state.started[id] = task
            case .waiting(let id): state.waiting[id] = task
            case .refused: break
            }
            return (task, arrival, arrival.starts && state.startsWatching())
        }
        guard let entry else { return base.start(request, handler: handler) }
        switch entry.arrival {
        case .started: entry.task.begin(request, on: base)
        case .waiting: startNext()
        case .refused(let error): entry.task.endAsynchronously(with: error)
        }
        if entry.watches { watch(after: Self.interval(between: [entry.task])) }
        return entry.task
    }

    public func invalidate() {
        let waiting = state.withLock { state in
            state.isInvalidated = true
            return Array(state.waiting.values)
        }
        for task in waiting { task.cancel() }
        base.invalidate()
    }

    // MARK: For its tasks

    func startNext() {
        while let step = nextStep() {
            switch step {
            case .begin(let task, let watches): begin(task, watches: watches)
            case .wake(let time): return wake(at: time)
            }
        }
    }

    private func nextStep() -> Step? {
        state.withLock { state in
            if let task = state.startNext() { return .begin(task, watches: state.startsWatching()) }
            return state.nextWake().map { .wake(at: $0) }
        }
    }

    private func begin(_ task: QueuedTask, watches: Bool) {
        task.begin(on: base)
        if watches { watch(after: Self.interval(between: [task])) }
    }

    /// Starts due transfers at a time. At most one interval ahead, so that a queue whose transfers were
    /// cancelled is released soon.
    private func wake(at time: MonotonicTime) {
        let nanoseconds = Int(max(time - .now, .zero) / .nanoseconds(1))
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [self] in
            state.withLock { state in state.wakes.removeAll { $0 == time } }
            startNext()
        }
    }

    /// Starts no further transfer to the host of a started one for a time, because its server refuses them.
    func block(_ id: TransferOrder.ID, for duration: Duration) {
        let (tasks, wait) = state.withLock { state -> ([QueuedTask], Duration) in
            guard let (ids, wait) = state.order.block(id, for: duration, at: .now) else { return ([], .zero) }
            return (ids.compactMap { state.waiting.removeValue(forKey: $0) }, wait)
        }
        for task in tasks { task.endAsynchronously(with: .throttled(retryAfter: wait.seconds)) }
        startNext()
    }

    func withdraw(_ id: TransferOrder.ID) -> Bool {
        state.withLock { state in
            state.waiting[id] = nil
            return state.order.withdraw(id)
        }
    }

    func reprioritise(_ id: TransferOrder.ID, to priority: Float) {
        state.withLock { $0.order.reprioritise(id, to: priority) }
    }

    func finish(_ id: TransferOrder.ID, isMultiplexed: Bool?) {
        state.release { state in
            state.order.finish(id, isMultiplexed: isMultiplexed)
            return state.started.removeValue(forKey: id)
        }
    }

    // MARK: Slow transfers

    private static let longestInterval = Duration.seconds(1)
    private static let shortestInterval = Duration.milliseconds(10)

    /// Checks for slow transfers after an interval, and repeats this while any transfer runs. Retains the
    /// transport: a weak reference would make all other references slower.
    private func watch(after interval: Duration) {
        let nanoseconds = Int(interval / .nanoseconds(1))
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [self] in
            replaceSlowTransfers()
        }
    }

    private func replaceSlowTransfers() {
        let now = MonotonicTime.now
        let (running, crowded) = state.withLock { state in
            if state.started.isEmpty { state.isWatching = false }
            let running = Array(state.started.values)
            let order = state.order
            return (running, Set(running.map(\.id).filter { order.isCrowded($0) }))
        }
        guard !running.isEmpty else { return }
        // Oldest first.
        let slow = running.filter { $0.isSlow(at: now, isCrowded: crowded.contains($0.id)) }.sorted {
            $0.id < $1.id
        }
        let (ended, started) = state.withLock { state in
            var (ended, started): ([QueuedTask], [QueuedTask]) = ([], [])
            for task in slow {
                if state.order.yieldSlot(task.id) == .ends { ended.append(task) }
                while let next = state.startNext() { started.append(next) }
            }
            return (ended, started)
        }
        for task in ended { task.endAsTooSlow(isCrowded: crowded.contains(task.id)) }
        for task in started { task.begin(on: base) }
        if !started.isEmpty { startNext() }
        watch(after: Self.interval(between: running))
    }

    private static func interval(between tasks: [QueuedTask]) -> Duration {
        let windows = tasks.compactMap { $0.minimumRate?.window }
        let interval = windows.min().map { $0 / RateMeter.steps } ?? longestInterval
        return min(max(interval, shortestInterval), longestInterval)
    }
}

import Dispatch
import FoundationNetworking
import Synchronization

/// Starts transfers of another transport in the order of their priority, a few to each host at a time.
///
/// Of the transfers that wait, the one with the highest ``TransportRequest/priority`` whose host has room
/// starts first; of equal ones, the one that came first. A transfer keeps its host's slot until it has
/// finished, also while its handler holds it. Nothing is ever raised for having waited: low priorities wait
/// as long as higher ones keep coming. A redirect's next hop keeps the arrival of its fetch.
///
/// A transfer below its ``TransportLimits/minimumRate`` gives its slot to one that waits for it. It goes on
/// outside the slots, or ends with ``TransportError/tooSlow(_:)`` where there are too many such transfers.
///
/// Released while transfers wait or run, it brings them to their end.
public final class QueuedTransport: Transport {
    /// How many transfers run at a time; 1 where a number is lower.
    public struct Limits: Sendable, Hashable {
        /// To one host (scheme, host and port) over connections that carry one transfer each.
        public var perHost = 6
        /// To one https host that was last seen to speak HTTP/2, where transfers share a connection; 100 is
        /// what libcurl puts on one.
        public var perMultiplexedHost = 100
        /// To all hosts together, so that many hosts do not take all of a process' descriptors.
        public var total = 256
        /// Beyond ``total``: one for each host that has no other, so that a few busy hosts cannot keep all
        /// the rest waiting.
        public var reserve = 128
        /// Transfers to one host that are too slow and go on outside the slots, but no more than the host
        /// has slots.
        public var slowPerHost = 4
        /// The same, to all hosts together.
        public var slowTotal = 64

        public init() {}

        /// ``slowPerHost``, bounded by the slots.
        var slowOfOneHost: Int { min(slowPerHost, max(1, perHost)) }

        /// How many connections to one host a transport may need, if each carries one transfer.
        package var connectionsPerHost: Int { max(1, perHost) + max(0, slowOfOneHost) }
    }

    private struct State {
        var order: TransferOrder
        var waiting: [TransferOrder.ID: QueuedTask] = [:]
        var started: [TransferOrder.ID: QueuedTask] = [:]
        var isWatching = false
        var isInvalidated = false

        /// Moves on what may start now; the caller begins it.
        mutating func startNext() -> QueuedTask? {
            guard let id = order.next(), let task = waiting.removeValue(forKey: id) else { return nil }
            started[id] = task
            return task
        }
    }

    private let base: any Transport
    private let state: Mutex<State>

    /// Puts a queue in front of `base`.
    public init(_ base: any Transport, limits: Limits = Limits()) {
        self.base = base
        state = Mutex(State(order: TransferOrder(limits)))
    }

    /// How many transfers wait for their turn.
    public var waitingTransfers: Int { state.withLock { $0.order.waiting } }

    /// How many transfers were too slow for their slot and go on without one.
    public var slowTransfers: Int { state.withLock { $0.order.outside } }

    public func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask {
        // Where there is no host, there is nothing to wait for; the transport says what is wrong.
        guard let origin = request.urlRequest.url.flatMap(Origin.init) else {
            return base.start(request, handler: handler)
        }
        let ticket = request.ticket ?? QueueTicket()
        let rank = TransferOrder.Rank(priority: request.priority, arrival: ticket.arrival)
        let entry: (task: QueuedTask, runs: Bool, watches: Bool)? = state.withLock { state in
            guard !state.isInvalidated else { return nil }
            let started = state.order.start(at: origin, rank)
            let id = started ?? state.order.enqueue(at: origin, rank)
            let task = QueuedTask(request, id: id, ticket: ticket, queue: self, handler: handler)
            if started == nil { state.waiting[id] = task } else { state.started[id] = task }
            defer { state.isWatching = true }
            return (task, started != nil, !state.isWatching)
        }
        guard let entry else { return base.start(request, handler: handler) }
        if entry.runs { entry.task.begin(on: base) } else { startNext() }
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

    /// Starts what may run now.
    func startNext() {
        while let task = state.withLock({ $0.startNext() }) { task.begin(on: base) }
    }

    /// Takes a task out of the line; `false` when it is not in it any more.
    func withdraw(_ id: TransferOrder.ID) -> Bool {
        state.withLock { state in
            state.waiting[id] = nil
            return state.order.withdraw(id)
        }
    }

    func reprioritise(_ id: TransferOrder.ID, to priority: Float) {
        state.withLock { $0.order.reprioritise(id, to: priority) }
    }

    /// Gives the slot of a task that has ended to the next one, which ``startNext()`` starts.
    func finish(_ id: TransferOrder.ID, isMultiplexed: Bool?) {
        let task = state.withLock { state in
            state.order.finish(id, isMultiplexed: isMultiplexed)
            return state.started.removeValue(forKey: id)
        }
        withExtendedLifetime(task) {}
    }

    // MARK: Slow transfers

    private static let longestInterval = Duration.seconds(1)
    private static let shortestInterval = Duration.milliseconds(10)

    /// Looks for slow transfers after a time, and again as long as anything runs. Keeps the transport until
    /// then: a weak reference would make every other one dearer.
    private func watch(after interval: Duration) {
        let nanoseconds = Int(interval / .nanoseconds(1))
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [self] in
            replaceSlowTransfers()
        }
    }

    private func replaceSlowTransfers() {
        let now = ContinuousClock.now
        let (running, crowded) = state.withLock { state in
            if state.started.isEmpty { state.isWatching = false }
            let running = Array(state.started.values)
            let order = state.order
            return (running, Set(running.map(\.id).filter { order.isCrowded($0) }))
        }
        guard !running.isEmpty else { return }
        // Those that have run longest go first.
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
        watch(after: Self.interval(between: running))
    }

    /// The time between two looks, which is a part of the shortest window.
    private static func interval(between tasks: [QueuedTask]) -> Duration {
        let windows = tasks.compactMap(\.minimumRate?.window)
        let interval = windows.min().map { $0 / RateMeter.steps } ?? longestInterval
        return min(max(interval, shortestInterval), longestInterval)
    }
}

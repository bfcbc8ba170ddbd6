import FoundationNetworking
import Synchronization

/// Starts transfers of another transport in the order of their priority, a few to each host at a time.
///
/// Of the transfers that wait, the one with the highest ``TransportRequest/priority`` whose host has room
/// starts first; of equal ones, the one that came first. A transfer keeps its host's place until it has
/// finished, also while its handler holds it. Nothing is ever raised for having waited: low priorities wait
/// as long as higher ones keep coming. A redirect's next hop stands where its fetch arrived, not at the end.
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

        public init() {}
    }

    private struct State {
        var order: TransferOrder
        var waiting: [TransferOrder.ID: QueuedTask] = [:]
        var isInvalidated = false
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

    public func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask {
        // Where there is no host, there is nothing to wait for; the transport says what is wrong.
        guard let origin = request.urlRequest.url.flatMap(Origin.init) else {
            return base.start(request, handler: handler)
        }
        let ticket = request.ticket ?? QueueTicket()
        let rank = TransferOrder.Rank(priority: request.priority, arrival: ticket.arrival)
        let entry: (task: QueuedTask, runs: Bool)? = state.withLock { state in
            guard !state.isInvalidated else { return nil }
            let started = state.order.start(at: origin, rank)
            let id = started ?? state.order.enqueue(at: origin, rank)
            let task = QueuedTask(request, id: id, ticket: ticket, queue: self, handler: handler)
            if started == nil { state.waiting[id] = task }
            return (task, started != nil)
        }
        guard let entry else { return base.start(request, handler: handler) }
        if entry.runs { entry.task.begin(on: base) } else { startNext() }
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
        while true {
            let task = state.withLock { state in
                state.order.next().flatMap { state.waiting.removeValue(forKey: $0) }
            }
            guard let task else { return }
            task.begin(on: base)
        }
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

    /// Gives the place of a task that has ended to the next one, which ``startNext()`` starts.
    func finish(_ id: TransferOrder.ID, isMultiplexed: Bool?) {
        state.withLock { $0.order.finish(id, isMultiplexed: isMultiplexed) }
    }
}

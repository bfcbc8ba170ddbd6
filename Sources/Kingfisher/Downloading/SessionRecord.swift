import Foundation
import FoundationNetworking
import KingfisherStorage
import KingfisherTransport
import Synchronization

/// The state of one transfer, shared by a `SessionDataTask` and its `URLSessionDataTask` facade, which may
/// outlive each other. Safe from any thread.
final class SessionRecord: Sendable {
    enum Phase: Sendable {
        case waiting, running
        /// The body is complete, and callers make their images of it.
        case delivering
        case over
    }

    typealias Delivery = (input: ProcessingInput, arrival: ResponseArrival)

    struct State: Sendable {
        var phase = Phase.waiting
        var hasProcessingFailure = false
        /// The body, while the phase is `delivering`.
        var delivery: Delivery?
        var lastServed: SessionDataTask.CancelToken = 0
        var callers = CallerList<SessionDataTask.Callback>()
        var observers: [SessionDataTask.CancelToken: any DownloadObserver] = [:]
        var response: TransportResponse?
        var body = BodyBuffer()
        var metrics: NetworkMetrics?
        var priority: Float
        /// Whether a program has set the priority, which then no longer follows that of the callers.
        var isPriorityFixed = false
        /// The priority of the first caller, which applies to the others, too.
        let firstPriority: Float
        /// The callers' priorities that were changed after that.
        var changedPriorities: [SessionDataTask.CancelToken: Float] = [:]
        var transfer: (any TransportTask)?
        /// The number of the request that `transfer` sends: a transfer that starts over sends two.
        var exchange = 0
        /// The file of an interrupted download, until the server has answered.
        var interrupted: BodyFile?
        var ticket: AdmissionTicket?
        /// Notified of cancelled callers; nil after the end, so that a stored task does not keep its
        /// downloader alive.
        var downloader: ImageDownloader?

        /// The highest priority of all callers.
        var callersPriority: Float? {
            // The usual case, which must not take longer with many callers.
            if changedPriorities.isEmpty { return firstPriority }
            return callers.tokens.map { changedPriorities[$0] ?? firstPriority }.max()
        }
    }

    private static let lastIdentifier = Atomic<Int>(0)

    let request: URLRequest
    let identifier: Int
    let state: Mutex<State>

    init(_ request: URLRequest, priority: Float, downloader: ImageDownloader?) {
        self.request = request
        identifier = Self.lastIdentifier.add(1, ordering: .relaxed).newValue
        state = Mutex(State(priority: priority, firstPriority: priority, downloader: downloader))
    }

    var response: TransportResponse? { state.withLock(\.response) }

    var byteCount: Int { state.withLock(\.body.count) }

    var taskState: URLSessionTask.State {
        switch state.withLock(\.phase) {
        case .waiting: .suspended
        case .running: .running
        case .delivering, .over: .completed
        }
    }

    var priority: Float { state.withLock(\.priority) }

    func fixPriority(at priority: Float) {
        setPriority { state in
            state.isPriorityFixed = true
            return priority
        }
    }

    /// Sets the priority to the highest of all callers, after `change`.
    func followCallers(after change: (inout State) -> Void = { _ in }) {
        setPriority { state in
            change(&state)
            return state.isPriorityFixed ? nil : state.callersPriority
        }
    }

    private func setPriority(_ choose: (inout State) -> Float?) {
        let change = state.withLock { state -> (any TransportTask, Float)? in
            guard let priority = choose(&state), priority != state.priority else { return nil }
            state.priority = priority
            return state.transfer.map { ($0, priority) }
        }
        if let (transfer, priority) = change { transfer.setPriority(priority) }
    }
}

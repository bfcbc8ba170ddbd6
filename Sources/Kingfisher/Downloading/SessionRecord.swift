import Foundation
import FoundationNetworking
import KingfisherTransport
import Synchronization

/// What is known of one transfer: shared by a `SessionDataTask` and the `URLSessionDataTask` that shows it,
/// so that neither needs the other for it. Safe from any thread.
final class SessionRecord: Sendable {
    enum Phase: Sendable {
        case waiting, running
        /// The bytes are here, and callers are being served with them.
        case delivering
        case over
    }

    struct State: Sendable {
        var phase = Phase.waiting
        /// Whether a processor could make nothing of the bytes, so that who tries again needs others.
        var hasProcessingFailure = false
        var callers = CallerList<SessionDataTask.Callback>()
        /// Of the callers that want to see the bytes come; of hardly any.
        var observers: [SessionDataTask.CancelToken: any DownloadObserver] = [:]
        var response: TransportResponse?
        var body = BodyBuffer()
        var metrics: NetworkMetrics?
        var priority: Float
        /// What is to be stopped or hurried; nil before it is known and after its end.
        var transfer: (any TransportTask)?
        /// What the transfer and its bytes may take of a manager's memory; nil without a budget, and after
        /// the end.
        var ticket: AdmissionTicket?
        /// Who hears of callers that give up; nil when there are none any more, so that a task
        /// that is kept keeps no downloader.
        var downloader: ImageDownloader?
    }

    private static let lastIdentifier = Atomic<Int>(0)

    /// The request that is sent, after modification.
    let request: URLRequest
    let identifier: Int
    let state: Mutex<State>

    init(_ request: URLRequest, priority: Float, downloader: ImageDownloader?) {
        self.request = request
        identifier = Self.lastIdentifier.add(1, ordering: .relaxed).newValue
        state = Mutex(State(priority: priority, downloader: downloader))
    }

    /// The head of the response; nil before it.
    var response: TransportResponse? { state.withLock(\.response) }

    /// How many bytes of the body are there.
    var byteCount: Int { state.withLock(\.body.count) }

    /// The phase in URLSession's words.
    var taskState: URLSessionTask.State {
        switch state.withLock(\.phase) {
        case .waiting: .suspended
        case .running: .running
        case .delivering, .over: .completed
        }
    }

    /// How urgent the transfer is; setting it moves one that still waits for its turn.
    var priority: Float {
        get { state.withLock(\.priority) }
        set {
            let transfer = state.withLock { state in
                state.priority = newValue
                return state.transfer
            }
            transfer?.setPriority(newValue)
        }
    }
}

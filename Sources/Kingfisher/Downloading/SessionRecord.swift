import Foundation
import FoundationNetworking
import KingfisherTransport
import Synchronization

/// The state of one transfer, shared by a `SessionDataTask` and its `URLSessionDataTask` facade, which may
/// outlive each other. Safe from any thread.
final class SessionRecord: Sendable {
    enum Phase: Sendable {
        case waiting, running
        /// The body is complete, and callers are being completed.
        case delivering
        case over
    }

    struct State: Sendable {
        var phase = Phase.waiting
        var hasProcessingFailure = false
        var callers = CallerList<SessionDataTask.Callback>()
        var observers: [SessionDataTask.CancelToken: any DownloadObserver] = [:]
        var response: TransportResponse?
        var body = BodyBuffer()
        var metrics: NetworkMetrics?
        var priority: Float
        var transfer: (any TransportTask)?
        var ticket: AdmissionTicket?
        /// Notified of cancelled callers; nil after the end, so that a stored task does not keep its
        /// downloader alive.
        var downloader: ImageDownloader?
    }

    private static let lastIdentifier = Atomic<Int>(0)

    let request: URLRequest
    let identifier: Int
    let state: Mutex<State>

    init(_ request: URLRequest, priority: Float, downloader: ImageDownloader?) {
        self.request = request
        identifier = Self.lastIdentifier.add(1, ordering: .relaxed).newValue
        state = Mutex(State(priority: priority, downloader: downloader))
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

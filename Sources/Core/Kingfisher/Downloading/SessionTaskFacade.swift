import Foundation
import FoundationNetworking

/// Presents a transfer as a `URLSessionDataTask`.
///
/// Does not use URLSession. Created on demand, because Foundation's class costs more than the rest of a small
/// transfer. Unchecked: the superclass is not declared sendable; nothing here changes after `init`.
final class SessionTaskFacade: URLSessionDataTask, @unchecked Sendable {
    private let record: SessionRecord
    /// Weak, because the session holds this object. Without a session there are no callers to cancel.
    private weak var session: SessionDataTask?

    init(_ session: SessionDataTask, _ record: SessionRecord) {
        self.session = session
        self.record = record
        super.init()
    }

    override var taskIdentifier: Int { record.identifier }
    override var originalRequest: URLRequest? { record.request }
    override var currentRequest: URLRequest? { record.request }
    override var response: URLResponse? { record.update(\.response)?.httpURLResponse }
    override var countOfBytesReceived: Int64 { Int64(record.update(\.body.count)) }
    override var state: URLSessionTask.State { record.taskState }

    override var priority: Float {
        get { record.update(\.priority) }
        set { record.changePriority { $0.fixPriority(at: newValue) } }
    }

    override func cancel() {
        // After completion, callers are still served.
        if record.taskState != .completed { session?.cancelAll() }
    }

    // Only the downloader starts and stops transfers.
    override func resume() {}
    override func suspend() {}
}

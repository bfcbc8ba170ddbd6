import Foundation
import FoundationNetworking

/// A transfer in the shape of a `URLSessionDataTask`, for code that looks at one.
///
/// It never touches URLSession, and is made when somebody asks for it: Foundation's class costs more
/// than all that a small transfer needs beside. Unchecked: the superclass is not declared sendable;
/// nothing here changes after `init`.
final class SessionTaskFacade: URLSessionDataTask, @unchecked Sendable {
    private let record: SessionRecord
    /// The session holds this. Once it is gone there is nobody whom to cancel.
    private weak var session: SessionDataTask?

    init(_ session: SessionDataTask, _ record: SessionRecord) {
        self.session = session
        self.record = record
        super.init()
    }

    override var taskIdentifier: Int { record.identifier }
    override var originalRequest: URLRequest? { record.request }
    override var currentRequest: URLRequest? { record.request }
    override var response: URLResponse? { record.response?.httpURLResponse }
    override var countOfBytesReceived: Int64 { Int64(record.byteCount) }
    override var state: URLSessionTask.State { record.taskState }

    override var priority: Float {
        get { record.priority }
        set { record.priority = newValue }
    }

    override func cancel() {
        // Who has its bytes already is served.
        if record.taskState != .completed { session?.cancelAll() }
    }

    // The downloader alone starts and stops transfers.
    override func resume() {}
    override func suspend() {}
}

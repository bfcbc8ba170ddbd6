import Foundation
import FoundationNetworking

/// A transfer in the shape of a `URLSessionDataTask`, for code that looks at one.
///
/// It never touches URLSession, and is made when somebody asks for it: Foundation's class costs more than all that
/// a small transfer needs beside. Unchecked: the superclass is not declared sendable; all state is the session's.
final class SessionTaskFacade: URLSessionDataTask, @unchecked Sendable {
    private let session: SessionDataTask

    init(_ session: SessionDataTask) {
        self.session = session
        super.init()
    }

    override var taskIdentifier: Int { session.identifier }
    override var originalRequest: URLRequest? { session.request }
    override var currentRequest: URLRequest? { session.request }
    override var response: URLResponse? { session.response?.httpURLResponse }
    override var countOfBytesReceived: Int64 { session.withBody { Int64($0.count) } }
    override var state: URLSessionTask.State { session.taskState }

    override var priority: Float {
        get { session.priority }
        set { session.priority = newValue }
    }

    override func cancel() {
        // Who has its bytes already is served.
        if session.taskState != .completed { session.cancelAll() }
    }

    // The downloader alone starts and stops transfers.
    override func resume() {}
    override func suspend() {}
}

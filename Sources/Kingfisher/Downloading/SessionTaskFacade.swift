import Foundation
import FoundationNetworking
import KingfisherTransport
import Synchronization

/// A transfer in the shape of a `URLSessionDataTask`, for code that looks at one.
///
/// It never touches URLSession. Unchecked: the superclass is not declared sendable; all state here sits in a
/// `Mutex`.
final class SessionTaskFacade: URLSessionDataTask, @unchecked Sendable {
    private struct State: Sendable {
        var response: TransportResponse?
        var received: Int64 = 0
        var priority: Float
        var state: URLSessionTask.State = .suspended
    }

    private static let lastIdentifier = Atomic<Int>(0)

    private let request: URLRequest
    private let identifier: Int
    private let mutable: Mutex<State>
    private let onCancel = Mutex<(@Sendable () -> Void)?>(nil)
    private let onPriority = Mutex<(@Sendable (Float) -> Void)?>(nil)

    init(request: URLRequest, priority: Float) {
        self.request = request
        identifier = Self.lastIdentifier.add(1, ordering: .relaxed).newValue
        mutable = Mutex(State(priority: priority))
        super.init()
    }

    override var taskIdentifier: Int { identifier }
    override var originalRequest: URLRequest? { request }
    override var currentRequest: URLRequest? { request }
    override var response: URLResponse? { mutable.withLock(\.response)?.httpURLResponse }
    override var countOfBytesReceived: Int64 { mutable.withLock(\.received) }
    override var state: URLSessionTask.State { mutable.withLock(\.state) }

    override var priority: Float {
        get { mutable.withLock(\.priority) }
        set {
            mutable.withLock { $0.priority = newValue }
            onPriority.withLock { $0 }?(newValue)
        }
    }

    override func cancel() {
        onCancel.withLock { $0 }?()
    }

    // The downloader alone starts and stops transfers.
    override func resume() {}
    override func suspend() {}

    func whenCancelled(_ work: @escaping @Sendable () -> Void) {
        onCancel.withLock { $0 = work }
    }

    /// Has `work` called with every new priority; also now, where it is not `known` any more. Once the
    /// transfer has ended, which may be before this is called, `work` is let go.
    func whenPrioritised(otherThan known: Float, _ work: @escaping @Sendable (Float) -> Void) {
        onPriority.withLock { slot in
            if state != .completed { slot = work }
        }
        let priority = priority
        if priority != known { work(priority) }
    }

    func didStart() {
        mutable.withLock { $0.state = .running }
    }

    func didReceive(_ response: TransportResponse) {
        mutable.withLock { $0.response = response }
    }

    func didReceive(bytes: Int) {
        mutable.withLock { $0.received += Int64(bytes) }
    }

    func didFinish() {
        mutable.withLock { $0.state = .completed }
        onCancel.withLock { $0 = nil }
        onPriority.withLock { $0 = nil }
    }
}

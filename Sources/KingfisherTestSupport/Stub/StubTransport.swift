public import Foundation
public import FoundationNetworking
public import KingfisherTransport
import Synchronization

/// A transport without a network: a closure or a table answers, under the full contract of `Transport`.
///
///     let photo = URL(string: "https://photos.example/1.png")!
///     let stub = StubTransport([photo: .ok(data)])
///     let downloader = ImageDownloader(name: "test", transport: stub)
///
///     let image = try await downloader.downloadImage(with: photo).image
///     #expect(stub.requests.map(\.url) == [photo])
///
/// A closure answers by anything in the request, and may fail it:
///
///     let stub = StubTransport { request in
///         request.url?.path == "/slow" ? .failure(.timedOut(.idle)) : .redirect(to: "/1.png")
///     }
///
/// Redirects, passwords, cookies, sharing and queues live above a transport, so they work over a stub as they
/// do over the network. Each transfer runs on a serial queue of its own. While the stub holds, requests are
/// recorded but not answered. <doc:Testing> has whole tests.
public final class StubTransport: Transport {
    private struct State {
        var requests: [URLRequest] = []
        var held: [StubTask] = []
        var live: [ObjectIdentifier: StubTask] = [:]
        var isHolding = false
        var isInvalidated = false
    }

    private let answer: @Sendable (URLRequest) -> StubAnswer
    private let state = Mutex(State())

    /// Answers what the closure says, which runs on the transfer's queue.
    public init(_ answer: @escaping @Sendable (URLRequest) -> StubAnswer) {
        self.answer = answer
    }

    /// Answers by URL; any other is answered 404.
    public convenience init(_ table: [URL: StubAnswer]) {
        self.init { request in request.url.flatMap { table[$0] } ?? StubAnswer(status: 404) }
    }

    /// The requests so far, in the order of their start.
    public var requests: [URLRequest] { state.withLock { $0.requests } }

    /// How many transfers have not finished.
    public var liveTransfers: Int { state.withLock { $0.live.count } }

    /// Lets later requests wait for ``release()``.
    public func hold() { state.withLock { $0.isHolding = true } }

    /// Answers what has waited, and everything after it at once.
    public func release() {
        let held = state.withLock { state in
            defer { state.held = [] }
            state.isHolding = false
            return state.held
        }
        for task in held { task.begin() }
    }

    public func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask {
        let task = StubTask(request, answer: answer, handler: handler) { [weak self] task in
            _ = self?.state.withLock { $0.live.removeValue(forKey: ObjectIdentifier(task)) }
        }
        let (begins, isInvalidated) = state.withLock { state in
            state.requests.append(request.urlRequest)
            state.live[ObjectIdentifier(task)] = task
            if state.isHolding { state.held.append(task) }
            return (!state.isHolding, state.isInvalidated)
        }
        if isInvalidated { task.cancel() } else if begins { task.begin() }
        return task
    }

    public func invalidate() {
        let live = state.withLock { state in
            state.isInvalidated = true
            return Array(state.live.values)
        }
        for task in live { task.cancel() }
    }
}

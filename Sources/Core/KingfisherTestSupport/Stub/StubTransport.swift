public import Foundation
public import FoundationNetworking
public import KingfisherTransport
import Synchronization

/// A transport without a network: a closure or a table provides responses, under the full contract of
/// `Transport`.
///
///     let photo = URL(string: "https://photos.example/1.png")!
///     let stub = StubTransport([photo: .ok(data)])
///     let downloader = ImageDownloader(name: "test", transport: stub)
///
///     let image = try await downloader.downloadImage(with: photo).image
///     #expect(stub.requests.map(\.url) == [photo])
///
/// The closure can inspect the whole request, and may fail it:
///
///     let stub = StubTransport { request in
///         request.url?.path == "/slow" ? .failure(.timedOut(.idle)) : .redirect(to: "/1.png")
///     }
///
/// Redirects, credentials, cookies, coalescing and queues are implemented above a transport, so they work
/// with a stub as they do with the network. Each transfer runs on a dedicated serial queue. While the stub
/// holds, requests are recorded but get no response. <doc:Testing> contains whole tests.
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

    /// Creates a transport whose closure returns the responses. The closure runs on the transfer's queue.
    public init(_ answer: @escaping @Sendable (URLRequest) -> StubAnswer) {
        self.answer = answer
    }

    /// Creates a transport that responds by URL, with 404 for other URLs.
    public convenience init(_ table: [URL: StubAnswer]) {
        self.init { request in request.url.flatMap { table[$0] } ?? StubAnswer(status: 404) }
    }

    /// The requests so far, in order of their start.
    public var requests: [URLRequest] { state.withLock { $0.requests } }

    /// The number of unfinished transfers.
    public var liveTransfers: Int { state.withLock { $0.live.count } }

    /// Makes later requests wait for ``release()``.
    public func hold() { state.withLock { $0.isHolding = true } }

    /// Responds to the waiting requests, and to later ones immediately.
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

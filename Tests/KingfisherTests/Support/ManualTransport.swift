import Dispatch
import Foundation
import FoundationNetworking
import KingfisherTransport
import Synchronization

/// A transport for one response at a time whose parts the test sends. A call returns after the handler has
/// processed the part.
final class ManualTransport: Transport {
    private final class Task: TransportTask {
        let transport: ManualTransport
        init(_ transport: ManualTransport) { self.transport = transport }
        func cancel() { transport.queue.async { self.transport.finish(self, .failure(.cancelled)) } }
        func resume() {}
    }

    private struct State {
        var current: (task: Task, handler: any TransportHandler, url: URL?)?
        var started = 0
    }

    fileprivate let queue = DispatchQueue(label: "ManualTransport")
    private let state = Mutex(State())

    /// The number of started transfers.
    var started: Int { state.withLock(\.started) }

    /// Whether the latest transfer has ended.
    var isIdle: Bool { state.withLock { $0.current == nil } }

    func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask {
        let task = Task(self)
        state.withLock { state in
            state.current = (task, handler, request.urlRequest.url)
            state.started += 1
        }
        return task
    }

    func invalidate() {}

    /// Sends the response head of the latest transfer, with the length of its body if it is given.
    func sendHead(announcing length: Int? = nil) {
        let fields = length.map { ["Content-Length": "\($0)"] } ?? [:]
        queue.sync {
            guard let (task, handler, url) = state.withLock(\.current), let url,
                let response = HTTPURLResponse(
                    url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields)
            else { return }
            _ = handler.transfer(task, head: TransportResponse(response))
        }
    }

    func send(_ data: Data) {
        queue.sync {
            guard let (task, handler, _) = state.withLock(\.current) else { return }
            _ = data.withUnsafeBytes { handler.transfer(task, body: $0) }
        }
    }

    func finish() {
        queue.sync {
            guard let task = state.withLock({ $0.current?.task }) else { return }
            finish(task, .success(TransportMetrics()))
        }
    }

    /// Ends the transfer with a lost connection.
    func fail() {
        queue.sync {
            guard let task = state.withLock({ $0.current?.task }) else { return }
            finish(task, .failure(.connectionLost("by test")))
        }
    }

    private func finish(_ task: Task, _ result: Result<TransportMetrics, TransportError>) {
        let handler = state.withLock { state -> (any TransportHandler)? in
            guard state.current?.task === task else { return nil }
            defer { state.current = nil }
            return state.current?.handler
        }
        handler?.transfer(task, finished: result)
    }
}

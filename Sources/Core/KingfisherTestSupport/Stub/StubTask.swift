import Foundation
import FoundationNetworking
import KingfisherTransport
import Synchronization

/// One transfer of a ``StubTransport``. Delivers its response step by step on a serial queue, which also
/// handles `resume` and `cancel`.
final class StubTask: TransportTask {
    fileprivate struct State {
        var handler: (any TransportHandler)?
        var answer: StubAnswer?
        var offset = 0
        var hasSentHead = false
        var isPaused = false
    }

    fileprivate enum Step {
        case nothing
        case head(StubAnswer)
        case body(Data)
        case finish(Result<TransportMetrics, TransportError>)
    }

    private let request: TransportRequest
    private let makeAnswer: @Sendable (URLRequest) -> StubAnswer
    private let onEnd: @Sendable (StubTask) -> Void
    private let queue = DispatchQueue(label: "StubTransport")
    private let isCancelled = Atomic(false)
    private let state: Mutex<State>

    init(
        _ request: TransportRequest, answer: @escaping @Sendable (URLRequest) -> StubAnswer,
        handler: any TransportHandler, onEnd: @escaping @Sendable (StubTask) -> Void
    ) {
        self.request = request
        makeAnswer = answer
        self.onEnd = onEnd
        state = Mutex(State(handler: handler))
    }

    func begin() {
        queue.async { [self] in
            let answer = makeAnswer(request.urlRequest)
            state.withLock { $0.answer = answer }
            advance()
        }
    }

    func cancel() {
        isCancelled.store(true, ordering: .releasing)
        queue.async { self.advance() }
    }

    func resume() {
        queue.async { [self] in
            state.withLock { $0.isPaused = false }
            advance()
        }
    }

    private func advance() {
        while true {
            let (step, handler) = state.withLock { ($0.nextStep(isCancelled, request), $0.handler) }
            guard let handler else { return }
            switch step {
            case .nothing: return
            case .head(let answer): sendHead(answer, to: handler)
            case .body(let piece):
                let isTaken = piece.withUnsafeBytes { handler.transfer(self, body: $0) }
                state.withLock { state in
                    if isTaken { state.offset += piece.count } else { state.isPaused = true }
                }
            case .finish(let result):
                state.withLock { $0.handler = nil }
                onEnd(self)
                handler.transfer(self, finished: result)
            }
        }
    }

    private func sendHead(_ answer: StubAnswer, to handler: any TransportHandler) {
        guard let url = request.urlRequest.url,
            let response = HTTPURLResponse(
                url: url, statusCode: answer.status, httpVersion: "HTTP/1.1", headerFields: answer.headers)
        else { return state.withLock { $0.answer = .failure(.invalidRequest("no URL")) } }
        state.withLock { $0.hasSentHead = true }
        let decision = handler.transfer(self, head: TransportResponse(response))
        state.withLock { $0.isPaused = decision == .wait }
        if decision == .cancel { isCancelled.store(true, ordering: .releasing) }
    }
}

extension StubTask.State {
    fileprivate func nextStep(_ isCancelled: borrowing Atomic<Bool>, _ request: TransportRequest)
        -> StubTask.Step
    {
        if isCancelled.load(ordering: .acquiring) { return .finish(.failure(.cancelled)) }
        guard let answer, !isPaused else { return .nothing }
        if !hasSentHead {
            if let error = answer.error, answer.body.isEmpty { return .finish(.failure(error)) }
            return .head(answer)
        }
        let limit = request.limits.maxBodyBytes
        guard offset < answer.body.count else {
            if let error = answer.error { return .finish(.failure(error)) }
            var metrics = TransportMetrics()
            metrics.bytesReceived = Int64(offset)
            metrics.bytesDecoded = Int64(offset)
            metrics.bytesSent = Int64(request.urlRequest.httpBody?.count ?? 0)
            metrics.protocolName = answer.protocolName
            return .finish(.success(metrics))
        }
        let piece = answer.body.dropFirst(offset).prefix(max(1, answer.pieceSize))
        if offset + piece.count > limit { return .finish(.failure(.bodyTooLarge(limit: limit))) }
        return .body(Data(piece))
    }
}

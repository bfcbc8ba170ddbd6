import Foundation
import FoundationNetworking
import Synchronization

/// One transfer that a `URLProtocol` performs. Converts its reports to the handler's callbacks, on a serial
/// queue.
final class URLProtocolTask: TransportTask {
    private struct State {
        var intake: URLProtocolIntake
        var handler: (any TransportHandler)?
        var isBegun = false
    }

    private let type: URLProtocol.Type
    private let request: TransportRequest
    private let onEnd: @Sendable () -> Void
    private let loader = URLProtocolLoader()
    private let queue = DispatchQueue(label: "com.onevcat.Kingfisher.URLProtocolTransport")
    private let isCancelled = Atomic(false)
    private let state: Mutex<State>

    init(
        _ type: URLProtocol.Type, _ request: TransportRequest, handler: any TransportHandler,
        onEnd: @escaping @Sendable () -> Void
    ) {
        self.type = type
        self.request = request
        self.onEnd = onEnd
        state = Mutex(State(intake: URLProtocolIntake(request.limits, at: .now), handler: handler))
    }

    /// Begins, unless it has begun before.
    func begin() {
        let isFirst = state.withLock { state in
            defer { state.isBegun = true }
            return !state.isBegun
        }
        guard isFirst else { return }
        loader.start(type, request.urlRequest, for: self)
        queue.async { self.watchDeadline() }
    }

    /// A task that has not begun begins with the end of the suspension.
    func setSuspended(_ isSuspended: Bool) {
        report { $0.setSuspended(isSuspended, at: .now) }
        if !isSuspended { begin() }
    }

    func cancel() {
        isCancelled.store(true, ordering: .releasing)
        report { $0.cancel() }
    }

    func resume() {
        queue.async { [self] in
            state.withLock { $0.intake.setPaused(false, at: .now) }
            advance()
        }
    }

    /// Records a report, from any thread, and advances the handler on the queue.
    func report(_ change: (inout URLProtocolIntake) -> Void) {
        state.withLock { change(&$0.intake) }
        queue.async { self.advance() }
    }

    private func advance() {
        while true {
            let (step, handler) = state.withLock { ($0.intake.nextStep(at: .now), $0.handler) }
            guard let handler else { return }
            switch step {
            case .nothing: return
            case .head(let head):
                guard isWanted() else { continue }
                switch handler.transfer(self, head: head) {
                case .proceed: break
                case .wait: state.withLock { $0.intake.setPaused(true, at: .now) }
                case .cancel: state.withLock { $0.intake.cancel() }
                }
            case .body(let piece):
                guard isWanted() else { continue }
                let isTaken = piece.withUnsafeBytes { handler.transfer(self, body: $0) }
                state.withLock { state in
                    if isTaken {
                        state.intake.dropPiece()
                    } else {
                        state.intake.setPaused(true, at: .now)
                    }
                }
            case .finish(let result):
                state.withLock { $0.handler = nil }
                loader.stop()
                onEnd()
                handler.transfer(self, finished: result)
            }
        }
    }

    private func isWanted() -> Bool {
        guard isCancelled.load(ordering: .acquiring) else { return true }
        state.withLock { $0.intake.cancel() }
        return false
    }

    /// Fails the transfer if a time limit is exceeded; otherwise checks again at the next one. Weak, so that
    /// a finished transfer is released.
    private func watchDeadline() {
        guard let (time, phase) = state.withLock({ $0.intake.deadline(at: .now) }) else { return }
        let left = time - .now
        guard left > .zero else { return report { $0.timeOut(phase) } }
        queue.asyncAfter(deadline: .now() + left.seconds) { [weak self] in self?.watchDeadline() }
    }
}

/// Holds the `URLProtocol` of a transfer. Unchecked: Foundation's class is not declared sendable, but it is
/// used only on the serial queue.
private final class URLProtocolLoader: @unchecked Sendable {
    private let queue = DispatchQueue(label: "com.onevcat.Kingfisher.URLProtocolTransport.loading")
    private var loading: URLProtocol?
    private var isStopped = false

    func start(_ type: URLProtocol.Type, _ request: URLRequest, for task: URLProtocolTask) {
        queue.async { [self] in
            guard !isStopped else { return }
            let made = type.init(
                request: type.canonicalRequest(for: request), cachedResponse: nil,
                client: URLProtocolReports(task))
            loading = made
            made.startLoading()
        }
    }

    /// Breaks the reference cycle of protocol, client and task.
    func stop() {
        queue.async { [self] in
            isStopped = true
            loading?.stopLoading()
            loading = nil
        }
    }
}

private final class URLProtocolReports: NSObject, URLProtocolClient, Sendable {
    private let task: URLProtocolTask

    init(_ task: URLProtocolTask) {
        self.task = task
    }

    func urlProtocol(
        _ protocol: URLProtocol, didReceive response: URLResponse,
        cacheStoragePolicy policy: URLCache.StoragePolicy
    ) {
        task.report { $0.take(response, at: .now) }
    }

    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) {
        task.report { $0.take(data, at: .now) }
    }

    func urlProtocolDidFinishLoading(_ protocol: URLProtocol) {
        task.report { $0.finish() }
    }

    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) {
        task.report { $0.fail(.foreign(ForeignError(error))) }
    }

    func urlProtocol(
        _ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse
    ) {
        task.report { $0.takeRedirect(to: request.url, from: redirectResponse, at: .now) }
    }

    func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) {
        task.report { intake in
            intake.take(cachedResponse.response, at: .now)
            intake.take(cachedResponse.data, at: .now)
        }
    }

    func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {
        challenge.sender?.performDefaultHandling(for: challenge)
    }

    func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {}
}

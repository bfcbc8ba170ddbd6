public import Foundation
public import FoundationNetworking
import KingfisherTransport
import Synchronization

/// One transfer and everyone who waits for it. Safe from any thread.
public final class SessionDataTask: Sendable {
    /// Numbers the callers of one transfer.
    public typealias CancelToken = Int

    /// One caller.
    struct Callback: Sendable {
        let options: KingfisherParsedOptionsInfo
        let progress: ProgressRelay?
        let completion: @Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void
        /// Open once the caller knows of its task.
        let gate = OutcomeGate()
    }

    private enum Phase: Sendable {
        case waiting, running
        /// The bytes are here, and callers are being served with them.
        case delivering
        case over
    }

    private struct State: Sendable {
        var phase = Phase.waiting
        var callbacks: [CancelToken: Callback] = [:]
        /// Of the callers that want to see the bytes come; of hardly any.
        var observers: [CancelToken: any DownloadObserver] = [:]
        var lastToken: CancelToken = 0
        /// No caller before this one waits any more.
        var firstToken: CancelToken = 1
        var data = Data()
        var metrics: NetworkMetrics?
        var stop: (@Sendable () -> Void)?
    }

    /// The request that is sent, after modification.
    let request: URLRequest
    /// The URL of the request.
    public let originalURL: URL?
    /// The transfer as URLSession would show it: request, response, identifier, bytes received.
    public let task: URLSessionDataTask

    private let facade: SessionTaskFacade
    private let state = Mutex(State())
    private let onCancelled: @Sendable (SessionDataTask, CancelToken, Callback, _ isLast: Bool) -> Void

    /// `onCancelled` hears of every caller that gave up, and whether it was the last.
    init(
        request: URLRequest, priority: Float = URLSessionTask.defaultPriority,
        onCancelled: @escaping @Sendable (SessionDataTask, CancelToken, Callback, _ isLast: Bool) -> Void = {
            _, _, _, _ in
        }
    ) {
        self.request = request
        originalURL = request.url
        facade = SessionTaskFacade(request: request, priority: priority)
        task = facade
        self.onCancelled = onCancelled
        facade.whenCancelled { [weak self] in self?.cancelAll() }
    }

    /// A copy of the bytes received so far.
    public var mutableData: Data { state.withLock(\.data) }

    /// Lends the bytes received so far, under a lock that the transfer needs to go on. A copy of
    /// `mutableData` that is kept has all of them copied once more when the next ones come.
    func withBody<Value: Sendable>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        state.withLock { state in state.data.withUnsafeBytes(body) }
    }

    /// What the transfer took; nil before its end.
    public var metrics: NetworkMetrics? { state.withLock(\.metrics) }

    /// Adds a caller; nil when a new transfer is needed.
    ///
    /// A caller whose look at the caches was overtaken by the transfer's end (`acceptsFinished`) is still
    /// served with its bytes; one that wants the network asked is not.
    func add(_ callback: Callback, acceptsFinished: Bool = false) -> CancelToken? {
        state.withLock { state in
            switch state.phase {
            case .waiting, .running: break
            case .delivering where acceptsFinished: break
            case .delivering, .over: return nil
            }
            state.lastToken += 1
            state.callbacks[state.lastToken] = callback
            if state.phase != .delivering, let observer = callback.options.downloadObserver {
                state.observers[state.lastToken] = observer
            }
            return state.lastToken
        }
    }

    /// Shows a caller that has joined what is there already.
    func catchUp(_ token: CancelToken) {
        let observer = state.withLock { $0.data.isEmpty ? nil : $0.observers[token] }
        observer?.didReceive(from: self)
    }

    /// Gives one caller up; without others, the transfer too.
    func cancel(token: CancelToken) {
        state.withLock { $0.observers.removeValue(forKey: token) }?.didEnd(self)
        let cancelled = state.withLock { state -> (Callback, isLast: Bool, stop: (@Sendable () -> Void)?)? in
            guard let callback = state.callbacks.removeValue(forKey: token) else { return nil }
            guard state.callbacks.isEmpty else { return (callback, false, nil) }
            state.phase = .over
            defer { state.stop = nil }
            return (callback, true, state.stop)
        }
        guard let (callback, isLast, stop) = cancelled else { return }
        callback.progress?.stop()
        if isLast { facade.didFinish() }
        stop?()
        onCancelled(self, token, callback, isLast)
    }

    /// Whether nobody waits any more.
    var isOver: Bool { state.withLock { $0.phase == .over } }

    /// Has `stop` called when the last caller gives up; at once if that has happened.
    ///
    /// A transfer may have ended by itself before this is called. Then there is nothing to stop, and `stop`,
    /// which holds the transfer that holds this, must not be kept.
    func whenStopped(_ stop: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            switch state.phase {
            case .waiting, .running: state.stop = stop
            case .delivering, .over: break
            }
            return state.phase == .over
        }
        if isOver { stop() }
    }

    /// Has `work` called when somebody gives the task another priority than the one it was started with.
    func whenPrioritised(otherThan known: Float, _ work: @escaping @Sendable (Float) -> Void) {
        facade.whenPrioritised(otherThan: known, work)
    }

    /// Gives every caller up.
    func cancelAll() {
        for token in state.withLock({ $0.callbacks.keys.sorted() }) { cancel(token: token) }
    }

    /// Moves from waiting to running; false when there is nothing to start (any more).
    func begin() -> Bool {
        let begins = state.withLock { state in
            guard state.phase == .waiting else { return false }
            state.phase = .running
            return true
        }
        if begins { facade.didStart() }
        return begins
    }

    /// Ends a transfer that failed and returns the callers that still wait, in the order they came.
    func fail(metrics: NetworkMetrics?) -> [Callback] {
        let (callbacks, observers) = state.withLock { state in
            state.phase = .over
            state.metrics = metrics
            state.stop = nil
            defer { (state.callbacks, state.observers) = ([:], [:]) }
            return (state.callbacks.sorted { $0.key < $1.key }.map(\.value), state.observers)
        }
        for observer in observers.values { observer.didEnd(self) }
        facade.didFinish()
        return callbacks
    }

    /// Ends a transfer that succeeded; false when nobody waits any more.
    func beginDelivery(metrics: NetworkMetrics?) -> Bool {
        let (isWanted, observers) = state.withLock { state in
            state.phase = state.callbacks.isEmpty ? .over : .delivering
            state.metrics = metrics
            state.stop = nil
            defer { state.observers = [:] }
            return (state.phase == .delivering, state.observers)
        }
        for observer in observers.values { observer.didEnd(self) }
        facade.didFinish()
        return isWanted
    }

    /// The caller to serve next; with none left, the task is over.
    func nextToServe() -> (token: CancelToken, callback: Callback)? {
        state.withLock { state in
            guard !state.callbacks.isEmpty else {
                state.phase = .over
                return nil
            }
            // Ten thousand callers wait for a picture that everybody prefetches: none is looked at twice.
            while true {
                if let callback = state.callbacks[state.firstToken] { return (state.firstToken, callback) }
                state.firstToken += 1
            }
        }
    }

    /// Takes a caller out to complete it; false when it was cancelled meanwhile.
    func claim(_ token: CancelToken) -> Bool {
        state.withLock { $0.callbacks.removeValue(forKey: token) != nil }
    }

    func didReceive(_ response: TransportResponse, reserving bytes: Int) {
        facade.didReceive(response)
        if bytes > 0 { state.withLock { $0.data.reserveCapacity(bytes) } }
    }

    /// Keeps body bytes; returns how many there are now and who wants to hear of it.
    func didReceive(_ bytes: UnsafeRawBufferPointer) -> (count: Int, relays: [ProgressRelay]) {
        facade.didReceive(bytes: bytes.count)
        let (count, relays, observers) = state.withLock { state in
            state.data.append(contentsOf: bytes)
            return (state.data.count, state.callbacks.values.compactMap(\.progress), state.observers)
        }
        for observer in observers.values { observer.didReceive(from: self) }
        return (count, relays)
    }

    /// The options of the first caller that still waits; its choices hold for the transfer.
    var leadingOptions: KingfisherParsedOptionsInfo? {
        state.withLock { state in state.callbacks.min { $0.key < $1.key }?.value.options }
    }

    /// A redirect handler of any caller that has one, first come first asked.
    var redirectHandler: (any ImageDownloadRedirectHandler)? {
        state.withLock { state in
            state.callbacks.sorted { $0.key < $1.key }.lazy.compactMap(\.value.options.redirectHandler).first
        }
    }
}

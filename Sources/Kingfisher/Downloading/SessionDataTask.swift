public import Foundation
public import FoundationNetworking
import KingfisherTransport
import Synchronization

/// One transfer and everyone who waits for it. Safe from any thread.
public final class SessionDataTask: Sendable {
    /// Numbers the callers of one transfer.
    public typealias CancelToken = Int

    private enum Phase: Sendable {
        case waiting, running
        /// The bytes are here, and callers are being served with them.
        case delivering
        case over
    }

    private struct State: Sendable {
        var phase = Phase.waiting
        var callers = CallerList<Callback>()
        /// Of the callers that want to see the bytes come; of hardly any.
        var observers: [CancelToken: any DownloadObserver] = [:]
        var response: TransportResponse?
        var data = Data()
        var metrics: NetworkMetrics?
        var priority: Float
        /// What is to be stopped or hurried; nil before it is known and after its end.
        var transfer: (any TransportTask)?
        /// Who hears of callers that give up; nil when there are none any more, so that a task that is kept keeps
        /// no downloader.
        var downloader: ImageDownloader?
    }

    private struct FacadeSlot: Sendable {
        weak var made: SessionTaskFacade?
    }

    private static let lastIdentifier = Atomic<Int>(0)

    /// The request that is sent, after modification.
    let request: URLRequest
    /// The URL of the request.
    public let originalURL: URL?
    /// What the downloader finds it by.
    let key: TransferKey?
    let identifier: Int

    private let facade = Mutex(FacadeSlot())
    private let state: Mutex<State>

    /// `downloader` hears of every caller that gave up, and whether it was the last.
    init(
        request: URLRequest, key: TransferKey? = nil, priority: Float = URLSessionTask.defaultPriority,
        downloader: ImageDownloader? = nil
    ) {
        self.request = request
        self.key = key
        originalURL = key?.url ?? request.url
        identifier = Self.lastIdentifier.add(1, ordering: .relaxed).newValue
        state = Mutex(State(priority: priority, downloader: downloader))
    }

    /// The transfer as URLSession would show it: request, response, identifier, bytes received.
    ///
    /// The same object for as long as somebody holds it.
    public var task: URLSessionDataTask {
        facade.withLock { facade in
            if let made = facade.made { return made }
            let made = SessionTaskFacade(self)
            facade.made = made
            return made
        }
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

    /// The head of the response; nil before it.
    var response: TransportResponse? { state.withLock(\.response) }

    /// The phase in URLSession's words.
    var taskState: URLSessionTask.State {
        switch state.withLock(\.phase) {
        case .waiting: .suspended
        case .running: .running
        case .delivering, .over: .completed
        }
    }

    /// How urgent the transfer is; setting it moves one that still waits for its turn.
    var priority: Float {
        get { state.withLock(\.priority) }
        set {
            let transfer = state.withLock { state in
                state.priority = newValue
                return state.transfer
            }
            transfer?.setPriority(newValue)
        }
    }

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
            let token = state.callers.add(callback)
            if state.phase != .delivering, let observer = callback.options.downloadObserver {
                state.observers[token] = observer
            }
            return token
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
        let cancelled = state.withLock { state -> (Callback, ImageDownloader?, Ending?)? in
            guard let callback = state.callers.remove(token) else { return nil }
            let downloader = state.downloader
            return (callback, downloader, state.callers.isEmpty ? end(&state) : nil)
        }
        guard let (callback, downloader, ending) = cancelled else { return }
        callback.progress?.stop()
        ending?.transfer?.cancel()
        downloader?.callerCancelled(self, token: token, callback: callback, isLast: ending != nil)
    }

    /// Whether nobody waits any more.
    var isOver: Bool { state.withLock { $0.phase == .over } }

    /// Has `transfer` cancelled when the last caller gives up, at once if that has happened, and told of every
    /// priority other than the one that it was started with.
    ///
    /// A transfer may have ended by itself before this is called. Then there is nothing to stop, and the
    /// transfer, which holds this, must not be kept.
    func attach(_ transfer: any TransportTask, startedWith known: Float) {
        let (isOver, priority) = state.withLock { state in
            switch state.phase {
            case .waiting, .running: state.transfer = transfer
            case .delivering, .over: break
            }
            return (state.phase == .over, state.priority)
        }
        if isOver { transfer.cancel() }
        if priority != known { transfer.setPriority(priority) }
    }

    /// Gives every caller up.
    func cancelAll() {
        for token in state.withLock({ $0.callers.tokens }) { cancel(token: token) }
    }

    /// Moves from waiting to running; false when there is nothing to start (any more).
    func begin() -> Bool {
        state.withLock { state in
            guard state.phase == .waiting else { return false }
            state.phase = .running
            return true
        }
    }

    /// Ends a transfer that failed and returns the callers that still wait, in the order they came.
    func fail(metrics: NetworkMetrics?) -> [Callback] {
        let (callbacks, observers, ending) = state.withLock { state in
            state.metrics = metrics
            defer { (state.callers, state.observers) = (CallerList(), [:]) }
            return (Array(state.callers.waiting), state.observers, end(&state))
        }
        withExtendedLifetime(ending) {}
        for observer in observers.values { observer.didEnd(self) }
        return callbacks
    }

    /// Ends a transfer that succeeded; false when nobody waits any more.
    func beginDelivery(metrics: NetworkMetrics?) -> Bool {
        let (isWanted, observers, transfer) = state.withLock { state in
            state.phase = state.callers.isEmpty ? .over : .delivering
            state.metrics = metrics
            defer { state.observers = [:] }
            return (state.phase == .delivering, state.observers, state.transfer.take())
        }
        withExtendedLifetime(transfer) {}
        for observer in observers.values { observer.didEnd(self) }
        return isWanted
    }

    /// The caller to serve next; with none left, the task is over.
    func nextToServe() -> (token: CancelToken, callback: Callback)? {
        let (next, ending) = state.withLock { state in
            let next = state.callers.first
            return (next, next == nil ? end(&state) : nil)
        }
        withExtendedLifetime(ending) {}
        return next.map { (token: $0.token, callback: $0.caller) }
    }

    /// Takes a caller out to complete it; false when it was cancelled meanwhile.
    func claim(_ token: CancelToken) -> Bool {
        state.withLock { $0.callers.remove(token) } != nil
    }

    func didReceive(_ response: TransportResponse, reserving bytes: Int) {
        state.withLock { state in
            state.response = response
            if bytes > 0 { state.data.reserveCapacity(bytes) }
        }
    }

    /// Keeps body bytes; returns how many there are now and who wants to hear of it.
    func didReceive(_ bytes: UnsafeRawBufferPointer) -> (count: Int, relays: [ProgressRelay]) {
        let (count, relays, observers) = state.withLock { state in
            state.data.append(contentsOf: bytes)
            return (state.data.count, state.callers.waiting.compactMap(\.progress), state.observers)
        }
        for observer in observers.values { observer.didReceive(from: self) }
        return (count, relays)
    }

    /// The first caller that still waits; its choices hold for the transfer.
    var leader: Callback? { state.withLock { $0.callers.first?.caller } }

    /// A redirect handler of any caller that has one, first come first asked.
    var redirectHandler: (any ImageDownloadRedirectHandler)? {
        state.withLock { state in
            state.callers.waiting.lazy.compactMap(\.options.redirectHandler).first { _ in true }
        }
    }

    /// What a task lets go of at its end: outside the lock, for it may be the last reference.
    private struct Ending: Sendable {
        let transfer: (any TransportTask)?
        let downloader: ImageDownloader?
    }

    private func end(_ state: inout State) -> Ending {
        state.phase = .over
        defer { (state.transfer, state.downloader) = (nil, nil) }
        return Ending(transfer: state.transfer, downloader: state.downloader)
    }
}

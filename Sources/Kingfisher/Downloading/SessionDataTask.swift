public import Foundation
public import FoundationNetworking
import KingfisherTransport
import Synchronization

/// One transfer and everyone who waits for it. Safe from any thread.
public final class SessionDataTask: Sendable {
    /// Numbers the callers of one transfer.
    public typealias CancelToken = Int

    /// The URL of the request.
    public let originalURL: URL?
    /// What the downloader finds it by.
    let key: TransferKey
    private let record: SessionRecord
    private let facade = Mutex<SessionTaskFacade?>(nil)

    /// `downloader` hears of every caller that gave up, and whether it was the last; there is none for a task
    /// that only names a transfer.
    init(
        request: URLRequest, key: TransferKey, priority: Float = URLSessionTask.defaultPriority,
        downloader: ImageDownloader?
    ) {
        self.key = key
        originalURL = key.url
        record = SessionRecord(request, priority: priority, downloader: downloader)
    }

    /// The request that is sent, after modification.
    var request: URLRequest { record.request }

    /// The transfer as URLSession would show it: request, response, identifier, bytes received.
    /// Always the same object.
    public var task: URLSessionDataTask {
        facade.withLock { facade in
            if let facade { return facade }
            let made = SessionTaskFacade(self, record)
            facade = made
            return made
        }
    }

    /// A copy of the bytes received so far.
    public var mutableData: Data { record.state.withLock(\.body.bytes) }

    /// Takes note that no more bytes come, and returns them without a copy.
    func endBody() -> Data {
        record.state.withLock { state in
            state.body.end()
            return state.body.bytes
        }
    }

    /// Bytes of memory that the body takes.
    var heldBytes: Int { record.state.withLock(\.body.capacity) }

    /// How many bytes of the body are there; what holding them takes, and takes with `added` more.
    func bodySize(adding added: Int, expected: Int?) -> (count: Int, held: Int, next: Int) {
        record.state.withLock { state in
            (state.body.count, state.body.capacity, state.body.capacity(adding: added, expected: expected))
        }
    }

    /// Lends the bytes received so far, under a lock that the transfer needs to go on. A copy of
    /// `mutableData` costs as much as all of them.
    func withBody<Value: Sendable>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        record.state.withLock { state in state.body.withUnsafeBytes(body) }
    }

    /// What the transfer took; nil before its end.
    public var metrics: NetworkMetrics? { record.state.withLock(\.metrics) }

    /// The head of the response; nil before it.
    var response: TransportResponse? { record.response }

    /// Whether the server has said that there is nothing newer than what the callers have.
    var isConfirmed: Bool { key.condition != nil && response?.status == 304 }

    /// How urgent the transfer is.
    var priority: Float { record.priority }

    /// Adds a caller; nil when a new transfer is needed.
    ///
    /// A caller whose look at the caches was overtaken by the transfer's end (`acceptsFinished`) is still
    /// served with its bytes; one that wants the network asked is not, nor one that comes after somebody
    /// could make no image of them: it may be a retry.
    func add(_ callback: Callback, acceptsFinished: Bool = false) -> CancelToken? {
        record.state.withLock { state in
            switch state.phase {
            case .waiting, .running: break
            case .delivering where acceptsFinished && !state.hasProcessingFailure: break
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
        let observer = record.state.withLock { $0.body.count == 0 ? nil : $0.observers[token] }
        observer?.didReceive(from: self)
    }

    /// Gives one caller up; without others, the transfer too.
    func cancel(token: CancelToken) {
        record.state.withLock { $0.observers.removeValue(forKey: token) }?.didEnd(self)
        let cancelled = record.state.withLock { state -> (Callback, ImageDownloader?, Ending?)? in
            guard let callback = state.callers.remove(token) else { return nil }
            let downloader = state.downloader
            return (callback, downloader, state.callers.isEmpty ? end(&state) : nil)
        }
        guard let (callback, downloader, ending) = cancelled else { return }
        callback.progress?.stop()
        ending?.transfer?.cancel()
        // Bytes that wait for memory to be decoded in go with the last caller.
        ending?.ticket?.withdraw()
        downloader?.callerCancelled(self, token: token, callback: callback, isLast: ending != nil)
    }

    /// Whether nobody waits any more.
    var isOver: Bool { record.state.withLock { $0.phase == .over } }

    /// Has `transfer` cancelled when the last caller gives up, at once if that has happened, and told of
    /// every priority other than the one that it was started with.
    ///
    /// A transfer may have ended by itself before this is called. Then there is nothing to stop, and the
    /// transfer, which holds this, must not be kept.
    func attach(_ transfer: any TransportTask, startedWith known: Float) {
        let (isOver, priority) = record.state.withLock { state in
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
        for token in record.state.withLock({ $0.callers.tokens }) { cancel(token: token) }
    }

    /// Moves from waiting to running; false when there is nothing to start (any more).
    func begin() -> Bool {
        record.state.withLock { state in
            guard state.phase == .waiting else { return false }
            state.phase = .running
            return true
        }
    }

    /// Ends a transfer that failed and returns the callers that still wait, in the order they came.
    func fail(metrics: NetworkMetrics?) -> [Callback] {
        let (callbacks, observers, ending) = record.state.withLock { state in
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
        let (isWanted, observers, ending) = record.state.withLock { state in
            state.metrics = metrics
            defer { state.observers = [:] }
            guard !state.callers.isEmpty else { return (false, state.observers, end(&state)) }
            state.phase = .delivering
            // Callers that still give up are reported to the downloader.
            return (
                true, state.observers, Ending(transfer: state.transfer.take(), downloader: nil, ticket: nil)
            )
        }
        withExtendedLifetime(ending) {}
        for observer in observers.values { observer.didEnd(self) }
        return isWanted
    }

    /// The caller to serve next; with none left, the task is over.
    func nextToServe() -> (token: CancelToken, callback: Callback)? {
        let (next, ending) = record.state.withLock { state in
            let next = state.callers.first
            return (next, next == nil ? end(&state) : nil)
        }
        withExtendedLifetime(ending) {}
        return next.map { (token: $0.token, callback: $0.caller) }
    }

    /// Takes a caller out to complete it, with an image or an error; false when it was cancelled meanwhile.
    func claim(_ token: CancelToken, withImage: Bool) -> Bool {
        record.state.withLock { state in
            state.hasProcessingFailure = state.hasProcessingFailure || !withImage
            return state.callers.remove(token)
        } != nil
    }

    func didReceive(_ response: TransportResponse, reserving bytes: Int) {
        record.state.withLock { state in
            state.response = response
            if bytes > 0 { state.body.reserve(bytes) }
        }
    }

    /// Keeps body bytes; returns how many there are now and what hears of it, or nil where there is no memory
    /// for them.
    func didReceive(
        _ bytes: UnsafeRawBufferPointer, expected: Int? = nil
    ) -> (count: Int, relays: [ProgressRelay])? {
        let kept = record.state.withLock {
            state -> (Int, [ProgressRelay], [CancelToken: any DownloadObserver])? in
            guard state.body.append(bytes, expected: expected) else { return nil }
            return (state.body.count, state.callers.waiting.compactMap(\.progress), state.observers)
        }
        guard let (count, relays, observers) = kept else { return nil }
        for observer in observers.values { observer.didReceive(from: self) }
        return (count, relays)
    }

    /// The first caller that still waits; its choices hold for the transfer.
    var leader: Callback? { record.state.withLock { $0.callers.first?.caller } }

    /// Has the transfer's share of a budget end with it.
    func hold(_ ticket: AdmissionTicket) {
        record.state.withLock { if $0.phase != .over { $0.ticket = ticket } }
    }

    /// A redirect handler of any caller that has one, first come first asked.
    var redirectHandler: (any ImageDownloadRedirectHandler)? {
        record.state.withLock { state in
            state.callers.waiting.lazy.compactMap { $0.options.redirectHandler }.first { _ in true }
        }
    }

    /// What a task lets go of at its end: outside the lock, for it may be the last reference.
    private struct Ending: Sendable {
        let transfer: (any TransportTask)?
        let downloader: ImageDownloader?
        let ticket: AdmissionTicket?
    }

    private func end(_ state: inout SessionRecord.State) -> Ending {
        state.phase = .over
        defer { (state.transfer, state.downloader, state.ticket) = (nil, nil, nil) }
        return Ending(transfer: state.transfer, downloader: state.downloader, ticket: state.ticket)
    }
}

public import Foundation
public import FoundationNetworking
import KingfisherStorage
import KingfisherTransport
import Synchronization

/// One transfer and its callers. Safe from any thread.
public final class SessionDataTask: Sendable {
    /// Identifies one caller of a transfer.
    public typealias CancelToken = Int

    /// The URL of the request.
    public let originalURL: URL?
    let key: TransferKey
    private let record: SessionRecord
    private let facade = Mutex<SessionTaskFacade?>(nil)

    /// `downloader` is notified of each cancelled caller; nil for a task that only identifies a transfer.
    init(
        request: URLRequest, key: TransferKey, priority: Float = URLSessionTask.defaultPriority,
        downloader: ImageDownloader?
    ) {
        self.key = key
        originalURL = key.url
        record = SessionRecord(request, priority: priority, downloader: downloader)
    }

    var request: URLRequest { record.request }

    /// The transfer as a `URLSessionDataTask`: request, response, identifier, bytes received. Always the same
    /// object.
    public var task: URLSessionDataTask {
        facade.withLock { facade in
            if let facade { return facade }
            let made = SessionTaskFacade(self, record)
            facade = made
            return made
        }
    }

    /// A copy of the bytes received so far. After a failed or cancelled transfer, there are none of a body
    /// that was stored in a file (``ImageDownloader/maxBodyBytesInMemory``).
    public var mutableData: Data { record.state.withLock(\.body.bytes) }

    /// Ends the body. Returns nil if its file cannot be read, or if the task is over.
    func endBody() -> Data? {
        let file = record.state.withLock(\.body.file)
        let mapped: Data?
        do throws(SystemError) {
            mapped = try file?.complete()
        } catch {
            return nil
        }
        return record.state.withLock { state in
            guard state.phase != .over else { return nil }
            state.body.end(mapped)
            return state.body.bytes
        }
    }

    var byteCount: Int { record.byteCount }

    var heldBytes: Int { record.state.withLock(\.body.capacity) }

    /// Nil if the task is over.
    func bodySize(adding added: Int, expected: Int?) -> BodyBuffer.Size? {
        record.state.withLock { state in
            state.phase == .over ? nil : state.body.size(adding: added, expected: expected)
        }
    }

    /// Keeps the file of an interrupted download for `takeInterrupted`. Closes it if the task is over.
    func keepInterrupted(_ file: BodyFile?) {
        let isOver = record.state.withLock { state in
            if state.phase != .over { state.interrupted = file }
            return state.phase == .over
        }
        if isOver { file?.close() }
    }

    func takeInterrupted() -> BodyFile? { record.state.withLock { $0.interrupted.take() } }

    /// Gives access to the bytes received so far, without the copy that `mutableData` makes. Holds a lock
    /// that the transfer needs, so `body` must be short.
    func withBody<Value: Sendable>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        record.state.withLock { state in state.body.withUnsafeBytes(body) }
    }

    /// The metrics of the transfer; nil before its end.
    public var metrics: NetworkMetrics? { record.state.withLock(\.metrics) }

    var response: TransportResponse? { record.response }

    var isConfirmed: Bool { key.condition != nil && response?.status == 304 }

    var priority: Float { record.priority }

    /// Changes the priority of one caller; nil selects that of the first caller again. The transfer has the
    /// highest priority of its callers, unless a program has set `task.priority`.
    func setPriority(_ priority: Float?, of token: CancelToken) {
        record.followCallers { $0.changedPriorities[token] = priority }
    }

    /// Adds a caller. Returns nil if it needs a new transfer.
    ///
    /// With `acceptsFinished`, a complete transfer also accepts the caller until its callers have left it:
    /// the caller's cache lookup missed while the transfer ended. This is not so after a processing failure,
    /// because the caller may be a retry that needs new bytes.
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

    /// Applies the priority of a caller that was added late, and reports the bytes received so far to its
    /// observer, or all of them to the caller.
    func catchUp(_ token: CancelToken) {
        record.followCallers()
        let (observer, delivery) = record.state.withLock {
            ($0.body.count == 0 ? nil : $0.observers[token], $0.delivery)
        }
        observer?.didReceive(from: self)
        if let delivery { serve(delivery.input, delivery.arrival) }
    }

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
        ending?.closeFiles()
        // With the last caller, bytes that wait for decoding memory are released.
        ending?.ticket?.withdraw()
        if ending == nil { record.followCallers { $0.changedPriorities[token] = nil } }
        downloader?.callerCancelled(self, token: token, callback: callback, isLast: ending != nil)
    }

    var isOver: Bool { record.state.withLock { $0.phase == .over } }

    /// Sets the transfer that is cancelled with the last caller, immediately if that has happened. Updates
    /// its priority if it changed since `known`.
    ///
    /// The transfer may have ended before this call. It is then not stored, because it holds this task; nor
    /// if a later exchange was attached.
    func attach(_ transfer: any TransportTask, _ exchange: Int, startedWith known: Float) {
        let (isOver, priority) = record.state.withLock { state in
            switch state.phase {
            case .waiting where exchange > state.exchange, .running where exchange > state.exchange:
                (state.transfer, state.exchange) = (transfer, exchange)
            case .waiting, .running, .delivering, .over: break
            }
            return (state.phase == .over, state.priority)
        }
        if isOver { transfer.cancel() }
        if priority != known { transfer.setPriority(priority) }
    }

    func cancelAll() {
        for token in record.state.withLock({ $0.callers.tokens }) { cancel(token: token) }
    }

    func begin() -> Bool {
        record.state.withLock { state in
            guard state.phase == .waiting else { return false }
            state.phase = .running
            return true
        }
    }

    /// Ends a failed transfer and returns the remaining callers in order of arrival.
    func fail(metrics: NetworkMetrics?) -> [Callback] {
        let (callbacks, observers, ending) = record.state.withLock { state in
            state.metrics = metrics
            defer { (state.callers, state.observers) = (CallerList(), [:]) }
            return (Array(state.callers.waiting), state.observers, end(&state))
        }
        // Before a retry, which continues it.
        ending.closeFiles()
        withExtendedLifetime(ending) {}
        for observer in observers.values { observer.didEnd(self) }
        return callbacks
    }

    /// Ends a successful transfer. Returns false if no caller remains.
    func beginDelivery(metrics: NetworkMetrics?) -> Bool {
        let (isWanted, observers, ending) = record.state.withLock { state in
            state.metrics = metrics
            defer { state.observers = [:] }
            guard !state.callers.isEmpty else { return (false, state.observers, end(&state)) }
            state.phase = .delivering
            // The downloader stays set: callers that are cancelled later are reported to it.
            let ending = Ending(
                transfer: state.transfer.take(), downloader: nil, ticket: nil, delivery: nil, files: [])
            return (true, state.observers, ending)
        }
        withExtendedLifetime(ending) {}
        for observer in observers.values { observer.didEnd(self) }
        return isWanted
    }

    /// Gives the bytes of a successful transfer to its callers, on the processing queue. Callers that are
    /// added before all have left get the bytes in `catchUp`.
    func deliver(_ input: ProcessingInput, _ arrival: ResponseArrival) {
        let isOver = record.state.withLock { state in
            if state.phase != .over { state.delivery = (input, arrival) }
            return state.phase == .over
        }
        if !isOver { serve(input, arrival) }
    }

    private func serve(_ input: ProcessingInput, _ arrival: ResponseArrival) {
        input.place?.run { [self] in
            while let (token, callback) = nextToServe() {
                if !isConfirmed {
                    callback.complete(
                        .arrived(Download(session: self, token: token, input: input, arrival: arrival)))
                } else if leave(token) {
                    callback.complete(.confirmed(arrival))
                }
            }
        }
    }

    /// The next caller that has not got the bytes; nil if all have.
    private func nextToServe() -> (token: CancelToken, callback: Callback)? {
        record.state.withLock { state in
            guard let next = state.callers.first(after: state.lastServed) else { return nil }
            state.lastServed = next.token
            return (token: next.token, callback: next.caller)
        }
    }

    /// Removes a caller that has used the bytes; ends the task after the last one. Returns false if the
    /// caller was cancelled in the meantime.
    func leave(_ token: CancelToken) -> Bool {
        let (caller, ending) = record.state.withLock { state -> (Callback?, Ending?) in
            let caller = state.callers.remove(token)
            guard caller != nil, state.callers.isEmpty, state.phase != .over else { return (caller, nil) }
            return (caller, end(&state))
        }
        if let ending { ending.downloader?.forget(self) }
        return caller != nil
    }

    /// Whether a caller is neither cancelled nor gone.
    func has(_ token: CancelToken) -> Bool { record.state.withLock { $0.callers.contains(token) } }

    func didReceive(_ response: TransportResponse, reserving bytes: Int = 0) {
        record.state.withLock { state in
            state.response = response
            if bytes > 0 { state.body.reserve(bytes) }
        }
    }

    /// Continues the body in a file. If there is none, or if it cannot be written, the body stays in memory.
    func moveBody(to file: BodyFile?) {
        record.state.withLock { if $0.phase == .running { $0.body.move(to: file) } }
    }

    /// Removes the file of a body that must not be continued.
    func discardBody() { record.state.withLock(\.body.file)?.discard() }

    enum Receipt: Sendable {
        /// The number of bytes so far, and the progress relays to notify.
        case received(count: Int, relays: [ProgressRelay])
        /// The body continues in memory, because its file cannot be written. The bytes must be passed again.
        case fileFailed
        case outOfMemory
    }

    /// Appends body bytes.
    func didReceive(_ bytes: UnsafeRawBufferPointer, expected: Int? = nil) -> Receipt {
        let file = record.state.withLock(\.body.file)
        // Outside the lock, which callers need, because the disk may be slow. Only `moveBody` writes under
        // it, once.
        let isWritten = file.map { (try? $0.append(bytes)) != nil } ?? false
        let (receipt, observers) = record.state.withLock {
            state -> (Receipt, [CancelToken: any DownloadObserver]) in
            if state.phase == .over {
                return (.received(count: state.body.count, relays: []), [:])
            }
            if isWritten {
                state.body.noteAppended(bytes.count)
            } else if file != nil {
                state.body.leaveFile()
                return (.fileFailed, [:])
            } else if !state.body.append(bytes, expected: expected) {
                return (.outOfMemory, [:])
            }
            let relays = state.callers.waiting.compactMap(\.progress)
            return (.received(count: state.body.count, relays: relays), state.observers)
        }
        for observer in observers.values { observer.didReceive(from: self) }
        return receipt
    }

    /// The first remaining caller. Its options apply to the transfer.
    var leader: Callback? { record.state.withLock { $0.callers.first?.caller } }

    func hold(_ ticket: AdmissionTicket) {
        record.state.withLock { if $0.phase != .over { $0.ticket = ticket } }
    }

    var redirectHandler: (any ImageDownloadRedirectHandler)? {
        record.state.withLock { state in
            state.callers.waiting.lazy.compactMap { $0.options.redirectHandler }.first { _ in true }
        }
    }

    /// The references that a task releases at its end, outside the lock, because each may be the last one.
    private struct Ending: Sendable {
        let transfer: (any TransportTask)?
        let downloader: ImageDownloader?
        let ticket: AdmissionTicket?
        let delivery: SessionRecord.Delivery?
        /// Of an incomplete body, and of the one that it was to continue.
        let files: [BodyFile]

        func closeFiles() { for file in files { file.close() } }
    }

    private func end(_ state: inout SessionRecord.State) -> Ending {
        state.phase = .over
        defer {
            (state.transfer, state.downloader, state.ticket, state.delivery) = (nil, nil, nil, nil)
        }
        return Ending(
            transfer: state.transfer, downloader: state.downloader, ticket: state.ticket,
            delivery: state.delivery,
            files: [state.body.abandon(), state.interrupted.take()].compactMap(\.self))
    }
}

extension SessionDataTask: InputObserver {
    func didMake(_ image: KFCrossPlatformImage?, of input: ProcessingInput) {
        let downloader = record.state.withLock { state in
            // Later callers, which may be retries, need a new transfer.
            if image == nil { state.hasProcessingFailure = true }
            return state.downloader
        }
        guard let image, let url = originalURL, let downloader, let delegate = downloader.delegate else {
            return
        }
        delegate.imageDownloader(downloader, didDownload: image, for: url, with: response?.httpURLResponse)
    }
}

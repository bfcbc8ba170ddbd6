public import Foundation
public import FoundationNetworking
import KingfisherConcurrency
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
    public var mutableData: Data { update(\.body.bytes) }

    /// The metrics of the transfer; nil before its end.
    public var metrics: NetworkMetrics? { update(\.metrics) }

    var response: TransportResponse? { update(\.response) }

    var byteCount: Int { update(\.body.count) }

    var isConfirmed: Bool { key.condition != nil && response?.status == 304 }

    var priority: Float { update(\.priority) }

    var isOver: Bool { update { $0.phase == .over } }

    /// Calls `event` under the lock of the state.
    func update<Step: Sendable>(_ event: (inout TransferState) -> Step) -> Step { record.update(event) }

    /// Gives access to the bytes received so far, without the copy that `mutableData` makes. Holds a lock
    /// that the transfer needs, so `body` must be short.
    func withBody<Value: Sendable>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        update { $0.body.withUnsafeBytes(body) }
    }

    // MARK: Callers

    /// Adds a caller. Returns nil if it needs a new transfer.
    ///
    /// With `acceptsFinished`, a complete transfer also accepts the caller until its callers have left it:
    /// the caller's cache lookup missed while the transfer ended. This is not so after a processing failure,
    /// because the caller may be a retry that needs new bytes.
    func add(_ callback: Callback, acceptsFinished: Bool = false) -> CancelToken? {
        update { $0.add(callback, acceptsFinished: acceptsFinished) }
    }

    /// Applies the priority of a caller that was added late, and reports the bytes received so far to its
    /// observer, or all of them to the caller.
    func catchUp(_ token: CancelToken) {
        record.changePriority { $0.followCallers() }
        let (observer, delivery) = update { ($0.body.count == 0 ? nil : $0.observers[token], $0.delivery) }
        observer?.didReceive(from: self)
        if let delivery { serve(delivery) }
    }

    /// Changes the priority of one caller; nil selects the first caller's priority again. The transfer has
    /// the highest priority of its callers, unless a program has set `task.priority`.
    func setPriority(_ priority: Float?, of token: CancelToken) {
        record.changePriority { $0.setPriority(priority, of: token) }
    }

    func cancel(token: CancelToken) {
        guard let cancelled = update({ $0.cancel(token) }) else { return }
        cancelled.observer?.didEnd(self)
        cancelled.callback.progress?.stop()
        if let ending = cancelled.ending {
            ending.transfer?.cancel()
            ending.closeFiles()
            // With the last caller, bytes that wait for decoding memory are released.
            ending.ticket?.withdraw()
        } else {
            setPriority(nil, of: token)
        }
        cancelled.downloader?.callerCancelled(
            self, token: token, callback: cancelled.callback, isLast: cancelled.ending != nil)
    }

    func cancelAll() {
        for token in update(\.callers.tokens) { cancel(token: token) }
    }

    /// Removes a caller that has used the bytes; ends the task after the last one. Returns false if the
    /// caller was cancelled in the meantime.
    func leave(_ token: CancelToken) -> Bool {
        let (caller, ending) = update { $0.leave(token) }
        if let ending { ending.downloader?.forget(self) }
        return caller != nil
    }

    // MARK: The transfer

    /// Sets the transfer that is cancelled with the last caller, immediately if that has happened. Updates
    /// its priority if it changed since `known`.
    func attach(_ transfer: any TransportTask, _ exchange: Int, startedWith known: Float) {
        let (isWanted, priority) = update { ($0.attach(transfer, exchange), $0.priority) }
        if !isWanted { transfer.cancel() }
        if priority != known { transfer.setPriority(priority) }
    }

    /// Appends body bytes.
    func didReceive(_ bytes: UnsafeRawBufferPointer) -> TransferState.Receipt {
        let file = update(\.body.file)
        // Outside the lock, which callers need, because the disk may be slow. Only `moveBody` writes under
        // it, once.
        let isWritten = file.map { (try? $0.append(bytes)) != nil } ?? false
        let receipt = update { $0.receive(bytes, file: file, isWritten: isWritten) }
        if case .received(_, _, _, let observers) = receipt {
            for observer in observers.values { observer.didReceive(from: self) }
        }
        return receipt
    }

    /// Ends the body. Returns nil if its file cannot be read, or if the task is over.
    func endBody() -> Data? {
        let mapped: Data?
        do throws(SystemError) {
            mapped = try update(\.body.file)?.complete()
        } catch {
            return nil
        }
        return update { $0.endBody(mapped) }
    }

    /// Ends a failed transfer and returns the remaining callers in order of arrival.
    func fail(metrics: NetworkMetrics?) -> [Callback] {
        let (callers, observers, ending) = update { $0.fail(metrics: metrics) }
        // Before a retry, which continues it.
        ending.closeFiles()
        for observer in observers.values { observer.didEnd(self) }
        return callers
    }

    /// Ends a successful transfer. Returns false if no caller remains.
    func beginDelivery(metrics: NetworkMetrics?) -> Bool {
        let (isWanted, observers, _) = update { $0.beginDelivery(metrics: metrics) }
        for observer in observers.values { observer.didEnd(self) }
        return isWanted
    }

    /// Gives the bytes of a successful transfer to its callers, on the processing queue. Callers that are
    /// added before all have left get the bytes in `catchUp`.
    func deliver(_ input: ProcessingInput, _ arrival: ResponseArrival) {
        let delivery = TransferState.Delivery(input: input, arrival: arrival)
        if update({ $0.deliver(delivery) }) { serve(delivery) }
    }

    private func serve(_ delivery: TransferState.Delivery) {
        let (input, arrival) = (delivery.input, delivery.arrival)
        input.place?.run { [self] in
            while let (token, callback) = update({ $0.nextToServe() }) {
                if !isConfirmed {
                    callback.complete(
                        .arrived(Download(session: self, token: token, input: input, arrival: arrival)))
                } else if leave(token) {
                    callback.complete(.confirmed(arrival))
                }
            }
        }
    }
}

extension SessionDataTask: InputObserver {
    func didMake(_ image: KFCrossPlatformImage?, of input: ProcessingInput) {
        let downloader = update { state in
            if image == nil { state.hasProcessingFailure = true }
            return state.downloader
        }
        guard let image, let url = originalURL, let downloader, let delegate = downloader.delegate else {
            return
        }
        delegate.imageDownloader(downloader, didDownload: image, for: url, with: response?.httpURLResponse)
    }
}

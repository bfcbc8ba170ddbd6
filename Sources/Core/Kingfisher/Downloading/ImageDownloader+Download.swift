import Foundation
import FoundationNetworking
import KingfisherConcurrency
import KingfisherStorage
import KingfisherTransport
import Synchronization

extension ImageDownloader {
    /// Downloads for a manager. If this is a subclass, calls the method that it may override. Such a method
    /// may return another task and always completes: the caches are not checked again, and the request is not
    /// conditional.
    func fetch(_ order: DownloadOrder, completion: @escaping @Sendable (DownloadOutcome) -> Void) {
        guard isSubclass else { return download(order, completion: completion) }
        var options = order.options
        options.change { values in
            (values.handover.order, values.handover.observer) = (Locked(order), order.observer)
        }
        // The method may complete before it returns its task.
        let gate = CompletionGate()
        let returned = downloadImage(with: order.url, options: options) { result in
            let outcome: DownloadOutcome =
                switch result {
                case .success(let made): .made(made)
                case .failure(let error): .failed(error)
                }
            gate.pass { completion(outcome) }
        }
        if returned !== order.task { order.task.follow(returned) }
        gate.open(on: processingQueue)
    }

    private var isSubclass: Bool { type(of: self) != ImageDownloader.self }

    /// Downloads and makes the image. The completion runs on the options' callback queue.
    func downloadImage(
        _ order: DownloadOrder,
        completion: @escaping @Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void
    ) {
        let options = order.options
        let report: @Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void = { result in
            if options.callbackQueue.isImmediate { return completion(result) }
            options.callbackQueue.execute { completion(result) }
        }
        download(order) { outcome in
            switch outcome {
            case .arrived(let download):
                download.makeImage(options, countsMemory: order.admission != nil, completion: report)
            case .made(let made): report(.success(made))
            case .failed(let error): report(.failure(error))
            case .confirmed, .cacheHasChanged: break  // only for the orders of managers
            }
        }
    }

    /// Downloads with a task that the caller created. It is linked once the transfer exists: before this
    /// returns, unless the request modifier is asynchronous. The completion gets bytes on the processing
    /// queue, and errors on any thread.
    func download(_ order: DownloadOrder, completion: (@Sendable (DownloadOutcome) -> Void)?) {
        let callback = SessionDataTask.Callback(order, completion: completion)
        if let modified = order.modifiedRequest { return start(modified, callback, order) }
        let original = URLRequest(
            url: order.url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: downloadTimeout)
        switch order.options.requestModifier {
        case nil:
            start(original, callback, order)
        case let modifier as any ImageDownloadRequestModifier:
            start(modifier.modified(for: original), callback, order)
        case let modifier?:
            Task { start(await modifier.modified(for: original), callback, order) }
        }
    }

    private func start(
        _ request: URLRequest?, _ callback: SessionDataTask.Callback, _ order: DownloadOrder
    ) {
        guard let request else { return callback.fail(.requestError(reason: .emptyRequest)) }
        guard let url = request.url, !url.absoluteString.isEmpty else {
            return callback.fail(.requestError(reason: .invalidURL(request: request)))
        }
        guard let (session, token, isNew) = join(url, request, callback, order) else {
            return callback.report(.cacheHasChanged(request))
        }
        let isWanted = order.task.link(to: session, token: token)
        callback.options.requestModifier?.onDownloadTaskStarted?(order.task)
        callback.gate.open(on: processingQueue)
        if !isWanted { session.cancel(token: token) }
        if !isNew {
            KingfisherEvents.report(.downloadJoined(url: url.redacted))
            session.catchUp(token)
        }
        // In every case without a transfer, another request can continue it.
        defer { order.takeInterrupted()?.close() }
        guard isNew, session.update({ $0.begin() }) else { return }
        delegate?.imageDownloader(self, willDownloadImageForURL: url, with: request)
        // The delegate may have cancelled the download.
        guard !session.isOver else { return }
        SessionTransfer(session: session, downloader: self, bodies: order.bodies)
            .start(continuing: order.takeInterrupted())
    }

    /// Adds the caller to the running transfer of an equal request, or to a new one. Returns nil if the
    /// caller's cache has changed since the order's mark.
    private func join(
        _ url: URL, _ request: URLRequest, _ callback: SessionDataTask.Callback, _ order: DownloadOrder
    ) -> (SessionDataTask, token: SessionDataTask.CancelToken, isNew: Bool)? {
        let condition = callback.validators?.condition(for: request, accept: accept(of: request))
        let (modifier, handler) = (callback.options.requestModifier, callback.options.redirectHandler)
        let content =
            modifier == nil && handler == nil
            ? nil : RequestContent(request, redirects: handler, standardTimeout: downloadTimeout)
        let key = TransferKey(
            url, condition: condition, content: content, removalNumber: order.removalNumber)
        let mark = order.cacheMark
        let request = condition?.added(to: request) ?? request
        return transfers.withLock { transfers in
            if let running = transfers[key],
                let token = running.add(callback, acceptsFinished: mark != nil)
            {
                return (running, token, false)
            }
            // A transfer is removed only after its image is in the cache, so the caller sees at least one of
            // them.
            if let mark, !mark.isCurrent { return nil }
            let session = SessionDataTask(
                request: request, key: key, priority: callback.options.downloadPriority, downloader: self)
            transfers[key] = session
            // A new task always accepts its first caller.
            return (session, session.add(callback) ?? 0, true)
        }
    }

    func accept(of request: URLRequest) -> String? {
        let field = "Accept"
        if let own = request.value(forHTTPHeaderField: field) { return own }
        let headers = settings.withLock { $0.configuration }.headers
        return headers.first { $0.name.caseInsensitiveCompare(field) == .orderedSame }?.value
    }

    func callerCancelled(
        _ session: SessionDataTask, token: SessionDataTask.CancelToken, callback: SessionDataTask.Callback,
        isLast: Bool
    ) {
        let error = KingfisherError.requestError(reason: .taskCancelled(task: session, token: token))
        if isLast { forget(session) }
        if let url = session.originalURL {
            KingfisherEvents.report(.downloadCancelled(url: url.redacted, isLast: isLast))
            delegate?.imageDownloader(self, didFinishDownloadingImageForURL: url, with: nil, error: error)
        }
        callback.fail(error)
    }

    /// Removes the transfer, so that the next request of the same URL starts a new one.
    func forget(_ session: SessionDataTask) {
        transfers.withLock { transfers in
            if let listed = transfers.removeValue(forKey: session.key), listed !== session {
                transfers[session.key] = listed
            }
        }
    }
}

/// The parameters of a download. An object, because it is large and passed from stage to stage.
final class DownloadOrder: Sendable {
    let url: URL
    let options: KingfisherParsedOptionsInfo
    let task: DownloadTask
    /// The state of the caller's cache at its last miss. If the cache has changed since, no new transfer
    /// starts. A caller with a mark may also subscribe to a transfer that is already delivering.
    let cacheMark: ChangeCounter.Mark?
    /// The validators of the caller's cached image. They make the request conditional, unless its modifier
    /// has done so.
    let validators: HTTPFreshness?
    let admission: AdmissionControl?
    let progressBlock: SendableProgressBlock?
    let observer: (any DownloadObserver)?
    let bodies: BodyStore
    /// The request of an earlier order that found a changed cache. Its modifier is not called again.
    let modifiedRequest: URLRequest?
    private let interrupted: Locked<BodyFile?>?
    /// `LiveStages.removalNumber`.
    let removalNumber: UInt64

    /// - Parameter interrupted: The body of an interrupted download of the URL.
    init(
        url: URL, options: KingfisherParsedOptionsInfo, task: DownloadTask,
        cacheMark: ChangeCounter.Mark? = nil, validators: HTTPFreshness? = nil,
        admission: AdmissionControl? = nil, progressBlock: SendableProgressBlock? = nil,
        observer: (any DownloadObserver)? = nil, bodies: BodyStore = BodyStore(),
        modifiedRequest: URLRequest? = nil, interrupted: BodyFile? = nil, removalNumber: UInt64 = 0
    ) {
        self.removalNumber = removalNumber
        self.bodies = bodies
        self.modifiedRequest = modifiedRequest
        self.interrupted = interrupted.map { Locked($0) }
        self.url = url
        self.options = options
        self.task = task
        self.cacheMark = cacheMark
        self.validators = validators
        self.admission = admission
        self.progressBlock = progressBlock
        self.observer = observer
    }

    /// Gives the interrupted body to the caller, who closes it.
    func takeInterrupted() -> BodyFile? { interrupted?.withLock { $0.take() } ?? nil }
}

/// Large values are indirect, because the outcome is passed from stage to stage.
enum DownloadOutcome: Sendable {
    case arrived(Download)
    /// The server has confirmed the caller's cached image.
    case confirmed(ResponseArrival)
    /// A downloader subclass has made the image.
    indirect case made(ImageLoadingResult)
    /// No transfer has started. The value is the request, modified as the options demand.
    indirect case cacheHasChanged(URLRequest)
    indirect case failed(KingfisherError)
}

import Foundation
import FoundationNetworking
import KingfisherConcurrency
import KingfisherTransport
import Synchronization

extension ImageDownloader {
    /// What a manager asks for: by the method that a subclass may override, if this is one. Such a method may
    /// return a task of its own; it completes in any case, and so is asked neither to look into caches again
    /// nor to send a conditional request.
    func fetch(_ order: DownloadOrder, completion: @escaping @Sendable (DownloadOutcome) -> Void) {
        guard isSubclass else { return download(order, completion: completion) }
        var options = order.options
        options.downloadCall = DownloadCall(order)
        let returned = downloadImage(with: order.url, options: options) { completion(DownloadOutcome($0)) }
        if returned !== order.task { order.task.follow(returned) }
    }

    private var isSubclass: Bool { type(of: self) != ImageDownloader.self }

    /// Downloads with a task that the caller made: it is linked once the transfer exists, which with a
    /// synchronous request modifier is before this returns. The completion runs on the options' callback
    /// queue.
    func download(_ order: DownloadOrder, completion: (@Sendable (DownloadOutcome) -> Void)?) {
        let original = URLRequest(
            url: order.url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: downloadTimeout)
        let callback = SessionDataTask.Callback(order, completion: completion)
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
        guard let (session, token, isNew) = join(url, request, callback, since: order.cacheMark) else {
            return callback.report(.cacheHasChanged)
        }
        let isWanted = order.task.link(to: session, token: token)
        callback.options.requestModifier?.onDownloadTaskStarted?(order.task)
        callback.gate.open(on: processingQueue)
        if !isWanted { session.cancel(token: token) }
        if !isNew {
            KingfisherEvents.report(.downloadJoined(url: url.withoutUserInfo))
            session.catchUp(token)
        }
        guard isNew, session.begin() else { return }
        delegate?.imageDownloader(self, willDownloadImageForURL: url, with: request)
        // The delegate may have cancelled it.
        guard !session.isOver else { return }
        SessionTransfer(session: session, downloader: self).start()
    }

    /// Adds the caller to the running transfer of `url`, or to a new one; nil where something has come into
    /// its cache since `mark`.
    private func join(
        _ url: URL, _ request: URLRequest, _ callback: SessionDataTask.Callback,
        since mark: ChangeCounter.Mark?
    ) -> (SessionDataTask, token: SessionDataTask.CancelToken, isNew: Bool)? {
        let condition = callback.validators?.condition(for: request, accept: accept(of: request))
        let key = TransferKey(url, condition: condition)
        let request = condition?.added(to: request) ?? request
        return transfers.withLock { transfers in
            if let running = transfers[key],
                let token = running.add(callback, acceptsFinished: mark != nil)
            {
                return (running, token, false)
            }
            // A transfer is forgotten after its image was given to the cache, so one of the two is seen here.
            if let mark, !mark.isCurrent { return nil }
            let session = SessionDataTask(
                request: request, key: key, priority: callback.options.downloadPriority, downloader: self)
            transfers[key] = session
            // A new task takes its first caller.
            return (session, session.add(callback) ?? 0, true)
        }
    }

    /// What a request says that it accepts, or the session's configuration for it.
    func accept(of request: URLRequest) -> String? {
        let field = "Accept"
        if let own = request.value(forHTTPHeaderField: field) { return own }
        let headers = settings.withLock(\.configuration).headers
        return headers.first { $0.name.caseInsensitiveCompare(field) == .orderedSame }?.value
    }

    /// A caller gave its share of a transfer up; after the last one there is no transfer.
    func callerCancelled(
        _ session: SessionDataTask, token: SessionDataTask.CancelToken, callback: SessionDataTask.Callback,
        isLast: Bool
    ) {
        let error = KingfisherError.requestError(reason: .taskCancelled(task: session, token: token))
        if isLast { forget(session) }
        if let url = session.originalURL {
            KingfisherEvents.report(.downloadCancelled(url: url.withoutUserInfo, isLast: isLast))
            delegate?.imageDownloader(self, didFinishDownloadingImageForURL: url, with: nil, error: error)
        }
        callback.fail(error)
    }

    /// Makes room for a new transfer of the same URL.
    func forget(_ session: SessionDataTask) {
        transfers.withLock { transfers in
            if let index = transfers.index(forKey: session.key), transfers.values[index] === session {
                transfers.remove(at: index)
            }
        }
    }
}

/// What a download is to be. An object, because it is large and handed from stage to stage.
final class DownloadOrder: Sendable {
    let url: URL
    let options: KingfisherParsedOptionsInfo
    /// The caller's task, which is linked to the transfer.
    let task: DownloadTask
    /// What had come into the caller's cache when it looked there in vain: where something has come since,
    /// there is no new transfer. A caller with a mark also joins a transfer whose bytes are being handed out
    /// already.
    let cacheMark: ChangeCounter.Mark?
    /// What the caller asks about an image that it has: the request is conditional, unless its modifier has
    /// made it that by itself.
    let validators: HTTPFreshness?
    /// What bounds the memory for a new transfer, its bytes and its decoding.
    let admission: AdmissionControl?
    let progressBlock: SendableProgressBlock?

    init(
        url: URL, options: KingfisherParsedOptionsInfo, task: DownloadTask,
        cacheMark: ChangeCounter.Mark? = nil, validators: HTTPFreshness? = nil,
        admission: AdmissionControl? = nil, progressBlock: SendableProgressBlock? = nil
    ) {
        self.url = url
        self.options = options
        self.task = task
        self.cacheMark = cacheMark
        self.validators = validators
        self.admission = admission
        self.progressBlock = progressBlock
    }
}

/// What becomes of a download.
enum DownloadOutcome: Sendable {
    case loaded(ImageLoadingResult)
    /// The server's 304.
    case confirmed(ResponseArrival)
    /// There is no transfer: something has come into the cache.
    case cacheHasChanged
    case failed(KingfisherError)

    init(_ result: Result<ImageLoadingResult, KingfisherError>) {
        self =
            switch result {
            case .success(let loaded): .loaded(loaded)
            case .failure(let error): .failed(error)
            }
    }

    /// The image or the error; nil for what only a caller with a cache can get.
    var result: Result<ImageLoadingResult, KingfisherError>? {
        switch self {
        case .loaded(let loaded): .success(loaded)
        case .failed(let error): .failure(error)
        case .confirmed, .cacheHasChanged: nil
        }
    }
}

/// What a manager passes through a method that a subclass may override, to be used once.
final class DownloadCall: Sendable {
    private let order: Locked<DownloadOrder?>

    init(_ order: DownloadOrder) { self.order = Locked(order) }

    /// Nil when the method calls that of its superclass again.
    func take() -> DownloadOrder? { order.withLock { $0.take() } }
}

import Foundation
import FoundationNetworking
import KingfisherTransport
import Synchronization

extension ImageDownloader {
    /// What a manager asks for: by the method that a subclass may override, if this is one. Such a method may
    /// return a task of its own; it completes in any case, and so is asked neither to look into caches again
    /// nor to send a conditional request.
    func fetch(
        _ url: URL, options: KingfisherParsedOptionsInfo, task: DownloadTask, cacheCheck: CacheCheck?,
        revalidation: Revalidation?, admission: AdmissionControl?, progressBlock: SendableProgressBlock?,
        completion: @escaping @Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void
    ) {
        guard isSubclass else {
            return download(
                url, options: options, task: task, cacheCheck: cacheCheck, revalidation: revalidation,
                admission: admission, progressBlock: progressBlock, completion: completion)
        }
        var options = options
        options.downloadCall = DownloadCall(
            task: task, admission: admission, progressBlock: progressBlock)
        let returned = downloadImage(with: url, options: options, completionHandler: completion)
        if returned !== task { task.follow(returned) }
    }

    private var isSubclass: Bool { type(of: self) != ImageDownloader.self }

    /// Downloads with a task that the caller made: it is linked once the transfer exists, which with a
    /// synchronous request modifier is before this returns. With `cacheCheck` the caller also joins a
    /// transfer whose bytes are being handed out already, and looks at its caches again before a new transfer
    /// is made. With `revalidation` the request is conditional, unless its modifier has made it
    /// that by itself. A new transfer, its bytes and its decoding take their memory from `admission`.
    func download(
        _ url: URL, options: KingfisherParsedOptionsInfo, task: DownloadTask, cacheCheck: CacheCheck? = nil,
        revalidation: Revalidation? = nil, admission: AdmissionControl? = nil,
        progressBlock: SendableProgressBlock?,
        completion: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)?
    ) {
        let original = URLRequest(
            url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: downloadTimeout)
        let callback = SessionDataTask.Callback(
            options: options, progress: progressBlock.map(ProgressRelay.init), revalidation: revalidation,
            admission: admission, completion: completion)
        switch options.requestModifier {
        case nil:
            start(original, callback, task, cacheCheck)
        case let modifier as any ImageDownloadRequestModifier:
            start(modifier.modified(for: original), callback, task, cacheCheck)
        case let modifier?:
            Task { start(await modifier.modified(for: original), callback, task, cacheCheck) }
        }
    }

    private func start(
        _ request: URLRequest?, _ callback: SessionDataTask.Callback, _ task: DownloadTask,
        _ cacheCheck: CacheCheck?
    ) {
        guard let request else { return callback.fail(.requestError(reason: .emptyRequest)) }
        guard let url = request.url, !url.absoluteString.isEmpty else {
            return callback.fail(.requestError(reason: .invalidURL(request: request)))
        }
        guard
            let (session, token, isNew) = join(
                url, request: request, callback: callback, cacheCheck: cacheCheck)
        else {
            cacheCheck?.lookAgain()
            return
        }
        let isWanted = task.link(to: session, token: token)
        callback.options.requestModifier?.onDownloadTaskStarted?(task)
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

    /// Adds the caller to the running transfer of `url`, or to a new one; nil when its cache has the picture
    /// now.
    private func join(
        _ url: URL, request: URLRequest, callback: SessionDataTask.Callback, cacheCheck: CacheCheck?
    ) -> (SessionDataTask, token: SessionDataTask.CancelToken, isNew: Bool)? {
        let condition = callback.revalidation.flatMap { revalidation in
            revalidation.freshness.condition(for: request, accept: accept(of: request))
        }
        let key = TransferKey(url, condition: condition)
        let request = condition?.added(to: request) ?? request
        return transfers.withLock { transfers in
            if let running = transfers[key],
                let token = running.add(callback, acceptsFinished: cacheCheck != nil)
            {
                return (running, token, false)
            }
            // A transfer is forgotten after its picture was given to the cache, so one of the two is seen
            // here.
            if let cacheCheck, cacheCheck.isPictureThere() { return nil }
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

/// What a manager passes through a method that a subclass may override, to be used once.
final class DownloadCall: Sendable {
    struct Contents: Sendable {
        let task: DownloadTask
        let admission: AdmissionControl?
        let progressBlock: SendableProgressBlock?
    }

    private let contents: Locked<Contents?>

    init(task: DownloadTask, admission: AdmissionControl?, progressBlock: SendableProgressBlock?) {
        contents = Locked(Contents(task: task, admission: admission, progressBlock: progressBlock))
    }

    /// Nil when the method calls that of its superclass again.
    func take() -> Contents? { contents.withLock { $0.take() } }
}

/// How a caller that looked at its caches in vain finds a picture that arrived there meanwhile.
struct CacheCheck: Sendable {
    /// Whether the picture is there and is to be looked for; asked under the downloader's lock.
    let isPictureThere: @Sendable () -> Bool
    /// Called instead of the download when it is.
    let lookAgain: @Sendable () -> Void
}

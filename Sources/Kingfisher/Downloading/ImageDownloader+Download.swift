public import Foundation
import FoundationNetworking
import KingfisherTransport
import Synchronization

extension ImageDownloader {
    /// Downloads and processes a picture. The completion runs on the options' callback queue, exactly once.
    @discardableResult
    public func downloadImage(
        with url: URL, options: KingfisherParsedOptionsInfo,
        completionHandler: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)? = nil
    ) -> DownloadTask {
        let task = DownloadTask()
        download(url, options: options, task: task, progressBlock: nil, completion: completionHandler)
        return task
    }

    /// Downloads and processes a picture. The completion runs on the options' callback queue, exactly once;
    /// progress on the main queue.
    @discardableResult
    public func downloadImage(
        with url: URL, options: KingfisherOptionsInfo? = nil, progressBlock: DownloadProgressBlock? = nil,
        completionHandler: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)? = nil
    ) -> DownloadTask {
        let task = DownloadTask()
        download(
            url, options: KingfisherParsedOptionsInfo(options), task: task, progressBlock: progressBlock,
            completion: completionHandler)
        return task
    }

    /// Downloads and processes a picture. The completion runs on the options' callback queue, exactly once.
    @discardableResult
    public func downloadImage(
        with url: URL, options: KingfisherOptionsInfo? = nil,
        completionHandler: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)? = nil
    ) -> DownloadTask {
        downloadImage(with: url, options: options, progressBlock: nil, completionHandler: completionHandler)
    }

    /// As above, with a task that the caller made: it is linked once the transfer exists, which with a
    /// synchronous request modifier is before this returns. With `cacheCheck` the caller also joins a
    /// transfer whose bytes are being handed out already, and looks at its caches again before a new transfer
    /// is made. With `revalidation` the request is conditional, unless its modifier has made it
    /// that by itself.
    func download(
        _ url: URL, options: KingfisherParsedOptionsInfo, task: DownloadTask, cacheCheck: CacheCheck? = nil,
        revalidation: Revalidation? = nil, progressBlock: DownloadProgressBlock?,
        completion: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)?
    ) {
        let original = URLRequest(
            url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: downloadTimeout)
        let callback = SessionDataTask.Callback(
            options: options, progress: progressBlock.map(ProgressRelay.init), revalidation: revalidation,
            completion: completion)
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

/// How a caller that looked at its caches in vain finds a picture that arrived there meanwhile.
struct CacheCheck: Sendable {
    /// Whether the picture is there and is to be looked for; asked under the downloader's lock.
    let isPictureThere: @Sendable () -> Bool
    /// Called instead of the download when it is.
    let lookAgain: @Sendable () -> Void
}

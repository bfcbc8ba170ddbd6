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
        download(url, options: options, task: task, progressBlock: nil) { completionHandler?($0) }
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
            url, options: KingfisherParsedOptionsInfo(options), task: task, progressBlock: progressBlock
        ) { completionHandler?($0) }
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
    /// is made.
    func download(
        _ url: URL, options: KingfisherParsedOptionsInfo, task: DownloadTask, cacheCheck: CacheCheck? = nil,
        progressBlock: DownloadProgressBlock?,
        completion: @escaping @Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void
    ) {
        let original = URLRequest(
            url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: downloadTimeout)
        let callback = SessionDataTask.Callback(
            options: options, progress: progressBlock.map(ProgressRelay.init), completion: completion)
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
        transfers.withLock { transfers in
            if let running = transfers[url],
                let token = running.add(callback, acceptsFinished: cacheCheck != nil)
            {
                return (running, token, false)
            }
            // A transfer is forgotten after its picture was given to the cache, so one of the two is seen
            // here.
            if let cacheCheck, cacheCheck.isPictureThere() { return nil }
            let session = SessionDataTask(request: request, priority: callback.options.downloadPriority) {
                [weak self] session, token, callback, isLast in
                self?.callerCancelled(session, token: token, callback: callback, isLast: isLast)
            }
            transfers[url] = session
            // A new task takes its first caller.
            return (session, session.add(callback) ?? 0, true)
        }
    }

    private func callerCancelled(
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
        guard let url = session.originalURL else { return }
        transfers.withLock { transfers in
            if transfers[url] === session { transfers[url] = nil }
        }
    }
}

extension SessionDataTask.Callback {
    /// Reports what became of the transfer, after the caller has been told of its task.
    func complete(_ outcome: Result<ImageLoadingResult, KingfisherError>) {
        gate.pass { [options, completion] in options.callbackQueue.execute { completion(outcome) } }
    }

    /// Reports that there is no transfer for the caller, or not any more.
    func fail(_ error: KingfisherError) {
        options.callbackQueue.execute { [completion] in completion(.failure(error)) }
    }
}

/// How a caller that looked at its caches in vain finds a picture that arrived there meanwhile.
struct CacheCheck: Sendable {
    /// Whether the picture is there; asked under the downloader's lock.
    let isPictureThere: @Sendable () -> Bool
    /// Called instead of the download when it is.
    let lookAgain: @Sendable () -> Void
}

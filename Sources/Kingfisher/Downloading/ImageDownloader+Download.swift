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
    /// synchronous request modifier is before this returns.
    func download(
        _ url: URL, options: KingfisherParsedOptionsInfo, task: DownloadTask,
        progressBlock: DownloadProgressBlock?,
        completion: @escaping @Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void
    ) {
        var original = URLRequest(
            url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: downloadTimeout)
        original.httpMethod = "GET"
        let callback = SessionDataTask.Callback(
            options: options, progress: progressBlock.map(ProgressRelay.init), completion: completion)
        switch options.requestModifier {
        case nil:
            start(original, callback: callback, task: task)
        case let modifier as any ImageDownloadRequestModifier:
            start(modifier.modified(for: original), callback: callback, task: task)
        case let modifier?:
            let request = original
            Task { start(await modifier.modified(for: request), callback: callback, task: task) }
        }
    }

    private func start(_ request: URLRequest?, callback: SessionDataTask.Callback, task: DownloadTask) {
        guard let request else { return callback.fail(.requestError(reason: .emptyRequest)) }
        guard let url = request.url, !url.absoluteString.isEmpty else {
            return callback.fail(.requestError(reason: .invalidURL(request: request)))
        }
        let (session, token, isNew) = join(url, request: request, callback: callback)
        let isWanted = task.link(to: session, token: token)
        callback.options.requestModifier?.onDownloadTaskStarted?(task)
        if !isWanted { session.cancel(token: token) }
        guard isNew, session.begin() else { return }
        delegate?.imageDownloader(self, willDownloadImageForURL: url, with: request)
        SessionTransfer(session: session, downloader: self).start()
    }

    /// Adds the caller to the running transfer of `url`, or to a new one.
    private func join(
        _ url: URL, request: URLRequest, callback: SessionDataTask.Callback
    ) -> (SessionDataTask, token: SessionDataTask.CancelToken, isNew: Bool) {
        transfers.withLock { transfers in
            if let running = transfers[url], let token = running.add(callback) {
                return (running, token, false)
            }
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
    func fail(_ error: KingfisherError) {
        options.callbackQueue.execute { [completion] in completion(.failure(error)) }
    }
}

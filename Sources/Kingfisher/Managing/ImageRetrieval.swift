import Foundation
import KingfisherImage
import Synchronization

/// One request's way: memory, disk, the original on disk, the source; then storing and reporting.
///
/// Each stage ends by starting the next or by `finish`, which reports the first outcome and drops later ones, so that
/// a cancellation may come at any moment.
final class ImageRetrieval: Sendable {
    typealias Outcome = Result<RetrieveImageResult, KingfisherError>

    let source: Source
    let options: KingfisherParsedOptionsInfo
    let targetCache: ImageCache
    let originalCache: ImageCache
    let downloader: ImageDownloader
    let processingQueue: CallbackQueue
    let progressBlock: DownloadProgressBlock?
    let startTime = ContinuousClock.now
    private let isCurrent: (@Sendable () -> Bool)?
    private let waiting: Mutex<Waiting?>

    /// Who waits for the outcome; nobody once it is reported.
    private struct Waiting: Sendable {
        let completion: (@Sendable (Outcome) -> Void)?
        /// Weak, because it holds this load in turn, and a provider may never answer.
        weak var task: DownloadTask?
    }

    init(
        source: Source, options: KingfisherParsedOptionsInfo, manager: KingfisherManager,
        progressBlock: DownloadProgressBlock?, isCurrent: (@Sendable () -> Bool)?,
        completion: (@Sendable (Outcome) -> Void)?
    ) {
        self.source = source
        self.options = options
        self.progressBlock = progressBlock
        self.isCurrent = isCurrent
        waiting = Mutex(Waiting(completion: completion))
        targetCache = options.targetCache ?? manager.cache
        originalCache = options.originalCache ?? targetCache
        downloader = options.downloader ?? manager.downloader
        processingQueue = options.processingQueue ?? manager.processingQueue
    }

    /// Begins. Nil when the picture is in memory, and then reported already where the queue allows it.
    func start() -> DownloadTask? {
        if !options.forceRefresh,
            let image = targetCache.retrieveImageInMemoryCache(forKey: source.cacheKey, options: options)
        {
            reportMemoryHit(image)
            return nil
        }
        let providerLoad = ProviderLoad()
        let task = DownloadTask { [self] task in
            providerLoad.cancel()
            finish(.failure(cancellationError(task)))
        }
        waiting.withLock { $0?.task = task }
        if options.forceRefresh {
            load(task, providerLoad)
        } else {
            askCaches(task, providerLoad)
        }
        return task
    }

    /// Goes to the source, unless only caches may be asked or nobody waits any more.
    func load(_ task: DownloadTask, _ providerLoad: ProviderLoad) {
        guard isWanted, !(options.onlyFromCache && !options.forceRefresh) else {
            return finish(.failure(notExisting))
        }
        switch source {
        case .network(let resource): download(resource, task, providerLoad)
        case .provider(let provider): supply(provider, providerLoad)
        }
    }

    /// Reports `outcome` on the caller's queue, if nothing was reported before.
    func finish(_ outcome: Outcome) {
        let waiting = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        waiting?.task?.end()
        guard let completion = waiting?.completion else { return }
        options.callbackQueue.execute { [modifier = options.imageModifier] in
            completion(outcome.map { result in modifier.map { result.modified(by: $0) } ?? result })
        }
    }

    /// Whether something was reported already.
    var isOver: Bool { waiting.withLock { $0 == nil } }

    /// Whether a newer request took this one's place.
    var isStale: Bool { isCurrent.map { !$0() } ?? false }

    /// Whether somebody still waits for the picture; asked between the steps of a look at the disk.
    var isWanted: Bool { !isOver && !isStale }

    var notExisting: KingfisherError {
        .cacheError(reason: .imageNotExisting(key: source.cacheKey))
    }

    /// The error of a request that is given up; names the transfer, if there was one.
    private func cancellationError(_ task: DownloadTask) -> KingfisherError {
        switch source {
        case .provider(let provider):
            .requestError(reason: .dataProviderCancelled(provider: provider))
        case .network(let resource):
            .requestError(
                reason: .taskCancelled(
                    task: task.sessionTask
                        ?? SessionDataTask(request: URLRequest(url: resource.downloadURL)),
                    token: task.cancelToken ?? 0))
        }
    }
}

extension RetrieveImageResult {
    fileprivate func modified(by modifier: any ImageModifier) -> RetrieveImageResult {
        RetrieveImageResult(
            image: modifier.modify(image), cacheType: cacheType, source: source,
            originalSource: originalSource, data: data, metrics: metrics)
    }
}

import Dispatch
import Foundation
import KingfisherConcurrency
import KingfisherTransport
import Synchronization

/// Fetches images: from a cache if it can, from their source if it must, and keeps what it fetched.
///
/// Safe from any thread. Memory is asked on the caller's thread, before the call returns; the disk, the
/// network, decoding and processing work elsewhere.
public final class KingfisherManager: Sendable {
    /// The manager that views use.
    public static let shared = KingfisherManager()

    private struct Parts: Sendable {
        var cache: ImageCache
        var downloader: ImageDownloader
        var defaultOptions: KingfisherOptionsInfo = .empty
        /// The three above, parsed: what a request without options goes by.
        var requestDefaults: KingfisherParsedOptionsInfo
        var admission: AdmissionControl?
        var maximumQueueLength = 1_024
        var tiers: TierStack?

        init(cache: ImageCache, downloader: ImageDownloader) {
            (self.cache, self.downloader) = (cache, downloader)
            requestDefaults = .init(.empty, then: .empty, over: cache, downloader)
        }
    }

    private let parts: Mutex<Parts>
    let processingQueue: CallbackQueue
    let networkMonitor: NetworkMonitor

    /// Joins a downloader and a cache.
    public convenience init(downloader: ImageDownloader, cache: ImageCache) {
        self.init(downloader: downloader, cache: cache, networkMonitor: .shared)
    }

    package init(downloader: ImageDownloader, cache: ImageCache, networkMonitor: NetworkMonitor) {
        self.networkMonitor = networkMonitor
        parts = Mutex(Parts(cache: cache, downloader: downloader))
        processingQueue = .dispatch(
            DispatchQueue(label: "com.onevcat.Kingfisher.KingfisherManager.processing"))
    }

    private convenience init() {
        self.init(downloader: .default, cache: .default)
    }

    /// The cache of requests that name none.
    public var cache: ImageCache {
        get { parts.withLock(\.cache) }
        set { change { $0.cache = newValue } }
    }

    /// The downloader of requests that name none.
    public var downloader: ImageDownloader {
        get { parts.withLock(\.downloader) }
        set { change { $0.downloader = newValue } }
    }

    /// Options of every request, before its own.
    public var defaultOptions: KingfisherOptionsInfo {
        get { parts.withLock(\.defaultOptions) }
        set { change { $0.defaultOptions = newValue } }
    }

    /// Bytes of memory that requests may hold at a time for bodies that come in and images that are decoded;
    /// nil, the default, for no limit. `forServers(cache:memoryBudget:)` sets one.
    ///
    /// A download reserves its Content-Length, or 1 MiB that grows, and what decoding takes as the header
    /// tells. Where the budget is used up, transfers pause: requests that were given memory go on first, then
    /// those of higher priority, then those that came first. One request at a time may exceed the budget, so
    /// that none waits for ever, and where transfers stall as much again may be given. Bytes that providers
    /// have loaded count, but are not bounded. A request that needs more
    /// than the whole budget fails with `KingfisherError.ResourceErrorReason.memoryBudgetExceeded`.
    ///
    /// Caches have limits of their own, and images that were delivered do not count; nor do reads by
    /// `loadDiskFileSynchronously`, which cannot wait, requests to a subclass of `ImageCache`, an
    /// `ImagePrefetcher` without a manager, and direct calls of a cache or downloader. A change holds for
    /// requests made after it.
    public var memoryBudget: Int? {
        get { parts.withLock { $0.admission?.limits.budget } }
        set { setAdmission { _ in newValue.map { max($0, 1) } } }
    }

    /// Requests that may wait for memory under a `memoryBudget`, those included whose downloads have not
    /// begun, or have no response yet; 1,024 by default. Further ones fail at once with
    /// `KingfisherError.ResourceErrorReason.overloaded`, which says when to try again.
    public var maximumQueueLength: Int {
        get { parts.withLock(\.maximumQueueLength) }
        set {
            setAdmission { parts in
                parts.maximumQueueLength = max(newValue, 1)
                return parts.admission?.limits.budget
            }
        }
    }

    /// Replaces the admission control by one with the budget that `change` returns.
    private func setAdmission(_ change: (inout Parts) -> Int?) {
        let old = parts.withLock { parts in
            let (old, budget) = (parts.admission, change(&parts))
            parts.admission = budget.map {
                AdmissionControl(.init(budget: $0, queueLength: parts.maximumQueueLength))
            }
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Places below the disk that keep encoded images, in the order in which they are asked; none by default.
    ///
    /// An image that neither memory nor the disk has is looked for in each of them, before its original and
    /// its source; a result that comes from one has the `cacheType` `.disk`. `forceRefresh` and
    /// `fromMemoryCacheOrRefresh` pass them over; what a `cacheMemoryOnly` request makes is written to none.
    /// A change holds for requests made after it. See ``CacheTier``.
    public var tiers: [any CacheTier] {
        get { tierStack?.tiers ?? [] }
        set {
            let stack = newValue.isEmpty ? nil : TierStack(newValue)
            let old = parts.withLock { parts in
                defer { parts.tiers = stack }
                return parts.tiers
            }
            withExtendedLifetime(old) {}
        }
    }

    /// The tiers; nil where there are none.
    var tierStack: TierStack? { parts.withLock(\.tiers) }

    /// What bounds the memory of requests; nil without a budget.
    var admission: AdmissionControl? { parts.withLock(\.admission) }

    private func change(_ change: (inout Parts) -> Void) {
        let old = parts.withLock { parts in
            let old = parts
            change(&parts)
            parts.requestDefaults = .init(
                parts.defaultOptions, then: .empty, over: parts.cache, parts.downloader)
            return old
        }
        // What users put in may be released with it, and not inside the lock.
        withExtendedLifetime(old) {}
    }

    private func routeParts(for options: KingfisherParsedOptionsInfo) -> RouteParts {
        let parts = parts.withLock { $0 }
        let cache = options.targetCache ?? parts.cache
        let downloader = options.downloader ?? parts.downloader
        return RouteParts(
            targetCache: cache, originalCache: options.originalCache ?? cache, downloader: downloader,
            processingQueue: options.processingQueue ?? processingQueue, networkMonitor: networkMonitor,
            admission: parts.admission, tiers: parts.tiers, readsFileURLs: readsFileURLs(through: downloader))
    }

    /// Whether a request through `downloader` reads the files that file URLs name; not if
    /// either downloader refuses.
    func readsFileURLs(through downloader: ImageDownloader) -> Bool {
        downloader.readsFileURLs && self.downloader.readsFileURLs
    }

    /// The manager's parts and defaults, then `options`.
    func parsedOptions(_ options: KingfisherOptionsInfo?) -> KingfisherParsedOptionsInfo {
        guard let options, !options.isEmpty else { return parts.withLock { $0.requestDefaults } }
        let parts = parts.withLock { $0 }
        return KingfisherParsedOptionsInfo(
            parts.defaultOptions, then: options, over: parts.cache, parts.downloader)
    }

    /// The options of a view's load: those of the manager that `options` name, or of the shared one, and then
    /// `options`.
    static func viewOptions(_ options: KingfisherOptionsInfo?) -> KingfisherParsedOptionsInfo {
        let manager = options?.manager ?? .shared
        var parsed = manager.parsedOptions(options)
        parsed.manager = manager
        return parsed
    }

    /// Fetches the image of a resource.
    ///
    /// The completion runs exactly once, on the options' callback queue (the main queue by default); progress
    /// on the main queue. Returns nil when the image was in memory as it is asked for, and otherwise a task
    /// that cancels whatever goes on; its `sessionTask` appears if a download becomes necessary.
    ///
    /// When the source fails, `retryStrategy` decides whether to begin again; when it does not, or the source
    /// is too heavy for a metered network, those of `alternativeSources` and `lowDataMode` stand in for it.
    /// `downloadTaskUpdated` hears of the task of each new attempt, once, on any thread, before the load
    /// begins and so before the completion. The returned task goes on to cancel the whole request.
    @discardableResult
    public func retrieveImage(
        with resource: any Resource, options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil, downloadTaskUpdated: DownloadTaskUpdatedBlock? = nil,
        completionHandler: (@Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)?
    ) -> DownloadTask? {
        retrieveImage(
            with: resource.convertToSource(), options: options, progressBlock: progressBlock,
            downloadTaskUpdated: downloadTaskUpdated, completionHandler: completionHandler)
    }

    /// Fetches the image of a source; see the variant for a resource.
    @discardableResult
    public func retrieveImage(
        with source: Source, options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        downloadTaskUpdated: DownloadTaskUpdatedBlock? = nil,
        completionHandler: (@Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)?
    ) -> DownloadTask? {
        retrieveImage(
            with: source, options: parsedOptions(options),
            progressBlock: ProgressRelay.carried(progressBlock),
            downloadTaskUpdated: downloadTaskUpdated, isCurrent: nil, completionHandler: completionHandler)
    }

    /// As above with parsed options. A request that is no longer current (`isCurrent`, asked on any thread)
    /// is not looked up on disk, not promoted, not made anew from its bytes, not downloaded, nor is another
    /// source tried; it fails with `imageNotExisting`.
    @discardableResult
    func retrieveImage(
        with source: Source, options: KingfisherParsedOptionsInfo, progressBlock: SendableProgressBlock?,
        downloadTaskUpdated: DownloadTaskUpdatedBlock? = nil, isCurrent: (@Sendable () -> Bool)?,
        completionHandler: (@Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)?
    ) -> DownloadTask? {
        KingfisherEvents.report(.requestBegan(source: source.eventName))
        let cache = options.targetCache ?? cache
        let arrivals = cache.arrivals.count
        let stored =
            options.forceRefresh || cache.isSubclass
            ? nil : cache.imageInMemory(forKey: source.cacheKey, options: options)
        // The way of most requests: nothing is made that only a longer one needs.
        if let stored, !options.httpCaching, !AnimationMaterial.isOutdated(stored, options) {
            finish(with: stored, source, options, completionHandler)
            return nil
        }
        let hit = stored.map { cache.memoryHit($0, forKey: source.cacheKey, options: options) }
        if let image = hit?.image, !options.httpCaching || isFresh(hit, source, options) {
            finish(with: image, source, options, completionHandler)
            return nil
        }
        return ImageRequest(
            source: source, options: options, parts: routeParts(for: options),
            progressBlock: progressBlock, isCurrent: isCurrent,
            caller: .init(downloadTaskUpdated: downloadTaskUpdated, completion: completionHandler)
        ).start(from: hit, lookedUpAt: arrivals)
    }

    private func finish(
        with image: KFCrossPlatformImage, _ source: Source, _ options: KingfisherParsedOptionsInfo,
        _ completionHandler: (@Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)?
    ) {
        KingfisherEvents.report(.requestFinished(source: source.eventName, cacheType: .memory, duration: 0))
        guard let completionHandler else { return }
        options.report(
            .success(.cached(image, .memory, source, for: source, options)), to: completionHandler)
    }

    /// Whether what memory has needs no second look. Only what was kept with `.httpCaching` ever does.
    private func isFresh(_ hit: MemoryHit?, _ source: Source, _ options: KingfisherParsedOptionsInfo) -> Bool
    {
        let cache = options.targetCache ?? cache
        let key = source.cacheKey.computedKey(with: options.processor.identifier)
        let freshness = (hit?.stored).flatMap { cache.notes.freshness(of: $0, forKey: key) }
        return freshness.map { $0.reuse(for: .unknown, at: cache.clock.now) == .fresh } ?? true
    }
}

extension KingfisherManager {
    /// Fetches the image of a resource. Never waits for the main queue.
    ///
    /// Throws `KingfisherError`, or `CancellationError` when the surrounding task is cancelled already.
    public func retrieveImage(
        with resource: any Resource, options: KingfisherOptionsInfo? = nil,
        progressBlock: SendableProgressBlock? = nil
    ) async throws -> RetrieveImageResult {
        try await retrieveImage(
            with: resource.convertToSource(), options: options, progressBlock: progressBlock)
    }

    /// Fetches the image of a source. Never waits for the main queue.
    ///
    /// Throws `KingfisherError`, or `CancellationError` when the surrounding task is cancelled already.
    public func retrieveImage(
        with source: Source, options: KingfisherOptionsInfo? = nil,
        progressBlock: SendableProgressBlock? = nil
    ) async throws -> RetrieveImageResult {
        var parsed = parsedOptions(options)
        parsed.callbackQueue = .untouch
        let unqueued = parsed
        return try await cancellable { completion in
            retrieveImage(
                with: source, options: unqueued, progressBlock: progressBlock, isCurrent: nil,
                completionHandler: completion)
        }
    }

    /// Waits for a request, which is cancelled with the surrounding task.
    func cancellable<Value: Sendable>(
        _ start: (@escaping @Sendable (Result<Value, KingfisherError>) -> Void) -> DownloadTask?
    ) async throws -> Value {
        try Task.checkCancellation()
        let relay = CancellationRelay()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                relay.adopt(start { continuation.resume(with: $0) })
            }
        } onCancel: {
            relay.cancel()
        }
    }
}

/// Passes a cancellation on to a task that may not exist yet.
private final class CancellationRelay: Sendable {
    private struct State: Sendable {
        var task: DownloadTask?
        var isCancelled = false
    }

    private let state = Mutex(State())

    func adopt(_ task: DownloadTask?) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task?.cancel() }
    }

    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            return state.task
        }?.cancel()
    }
}

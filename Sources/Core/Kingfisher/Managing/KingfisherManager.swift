import Dispatch
import Foundation
import KingfisherConcurrency
import KingfisherTransport
import Synchronization

/// Loads images from a cache or from their source, and stores them in the cache.
///
/// Safe from any thread. Memory is read on the caller's thread, before the call returns. Disk reads,
/// downloads, decoding and processing run on other threads.
public final class KingfisherManager: Sendable {
    /// The manager that views use.
    public static let shared = KingfisherManager()

    private struct Parts: Sendable {
        var cache: ImageCache
        var downloader: ImageDownloader
        var defaultOptions: KingfisherOptionsInfo = .empty
        /// The three properties above, parsed: the options of a request that has none.
        var requestDefaults: KingfisherParsedOptionsInfo
        var admission: AdmissionControl?
        var maximumQueueLength = 1_024
        var tiers: TierStack?
        var cacheKeyRule: CacheKeyRule?

        init(cache: ImageCache, downloader: ImageDownloader) {
            (self.cache, self.downloader) = (cache, downloader)
            requestDefaults = .init(.empty, then: .empty, over: cache, downloader)
        }
    }

    private let parts: Mutex<Parts>
    /// Whether there is a `cacheKeyRule`. Without one, a request must not take the lock again.
    private let hasCacheKeyRule = Atomic(false)
    let processingQueue: CallbackQueue
    let networkMonitor: NetworkMonitor

    /// Makes a manager with a downloader and a cache.
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
        Self.hasShared.store(true, ordering: .relaxed)
    }

    private static let hasShared = Atomic(false)

    /// The rule of `shared`, without creating its cache and downloader.
    static var sharedCacheKeyRule: CacheKeyRule? {
        hasShared.load(ordering: .relaxed) ? shared.cacheKeyRule : nil
    }

    /// The cache of requests whose options name no cache.
    public var cache: ImageCache {
        get { parts.withLock(\.cache) }
        set { change { $0.cache = newValue } }
    }

    /// The downloader of requests whose options name no downloader.
    public var downloader: ImageDownloader {
        get { parts.withLock(\.downloader) }
        set { change { $0.downloader = newValue } }
    }

    /// Options of every request. The options of the request itself override them.
    public var defaultOptions: KingfisherOptionsInfo {
        get { parts.withLock(\.defaultOptions) }
        set { change { $0.defaultOptions = newValue } }
    }

    /// The number of bytes that all requests together may hold for response bodies and decoding; nil, the
    /// default, for no limit. `forServers(cache:memoryBudget:)` sets a budget.
    ///
    /// A download reserves its Content-Length; if the length is unknown, it reserves 1 MiB at first. Decoding
    /// reserves an estimate from the file's header. When the budget is used up, transfers pause. Requests
    /// that hold memory continue first, then requests of higher priority, then the oldest. One request at a
    /// time may exceed the budget, so that requests cannot deadlock; if transfers stall, up to twice the
    /// budget may be reserved. Data of providers, and files that are read into memory, count but do not wait.
    /// A request that needs more than the whole budget fails with
    /// `KingfisherError.ResourceErrorReason.memoryBudgetExceeded`.
    ///
    /// Not counted are: cached and delivered images, reads with `loadDiskFileSynchronously` (they cannot
    /// wait), requests to a subclass of `ImageCache`, an `ImagePrefetcher` without a manager, and direct
    /// calls of a cache or downloader. A change applies to requests made after it.
    public var memoryBudget: Int? {
        get { parts.withLock { $0.admission?.limits.budget } }
        set { setAdmission { _ in newValue.map { max($0, 1) } } }
    }

    /// The maximum number of requests that wait for memory of the `memoryBudget`, 1,024 by default. Further
    /// requests fail immediately with `KingfisherError.ResourceErrorReason.overloaded`, which says when to
    /// try again.
    ///
    /// A download waits for memory from its response on. At most eight times as many downloads wait for a
    /// connection, and at most a quarter of these for one host; further ones fail in the same way. A host may
    /// also not take more than the room that is left, so that a few silent hosts leave room for others.
    /// Downloads without a `memoryBudget` do not count, and wait without a limit.
    public var maximumQueueLength: Int {
        get { parts.withLock(\.maximumQueueLength) }
        set {
            setAdmission { parts in
                parts.maximumQueueLength = max(newValue, 1)
                return parts.admission?.limits.budget
            }
        }
    }

    private func setAdmission(_ change: (inout Parts) -> Int?) {
        parts.release { parts in
            let (old, budget) = (parts.admission, change(&parts))
            parts.admission = budget.map {
                AdmissionControl(.init(budget: $0, queueLength: parts.maximumQueueLength))
            }
            return old
        }
    }

    /// Further caches of encoded images below the disk, in the order of lookup; none by default.
    ///
    /// An image that is not in memory and not on disk is looked up in each tier, before its original and its
    /// source. A result from a tier has the `cacheType` `.disk`. Requests with `forceRefresh` or
    /// `fromMemoryCacheOrRefresh` do not read the tiers; requests with `cacheMemoryOnly` do not write them. A
    /// change applies to requests made after it. See ``CacheTier``.
    public var tiers: [any CacheTier] {
        get { tierStack?.tiers ?? [] }
        set {
            let stack = newValue.isEmpty ? nil : TierStack(newValue)
            parts.set(\.tiers, to: stack)
        }
    }

    var tierStack: TierStack? { parts.withLock(\.tiers) }

    /// Computes the cache keys of URLs; nil, the default, for the URL as its own key.
    ///
    /// It applies to every load of this manager, also by views, prefetchers and live photos, and to
    /// `alternativeSources` and the `lowDataMode` source. The caches and ``tiers`` find the image by its key,
    /// but the URL that is requested does not change. An explicit key of a resource is used as it is, unless
    /// it is the URL's default key, which counts as none. Providers, files and data URLs keep their keys. The
    /// sources of results have the new keys; those in the lists of an `ImagePrefetcher` are as given. Direct
    /// calls of a cache need `cacheKey(for:)`.
    ///
    /// Concurrent requests with different URLs and one key do not share a download, and their failures are
    /// not remembered (``NegativeCaching``), because one URL may be valid and another one not. A change of
    /// the rule applies to requests made after it; images that are stored under other keys are not found
    /// then.
    public var cacheKeyRule: CacheKeyRule? {
        get { parts.withLock(\.cacheKeyRule) }
        set {
            parts.release { parts in
                let old = parts.cacheKeyRule
                parts.cacheKeyRule = newValue
                hasCacheKeyRule.store(newValue != nil, ordering: .relaxed)
                return old
            }
        }
    }

    var admission: AdmissionControl? { parts.withLock(\.admission) }

    private func change(_ change: (inout Parts) -> Void) {
        // Objects of users may be released here.
        parts.release { parts in
            let old = parts
            change(&parts)
            parts.requestDefaults = .init(
                parts.defaultOptions, then: .empty, over: parts.cache, parts.downloader)
            return old
        }
    }

    /// The source of a request with the key that the rule computes; nil if its key does not change.
    @inline(__always)
    private func rekeyed(_ source: Source) -> Source? {
        guard hasCacheKeyRule.load(ordering: .relaxed), let rule = cacheKeyRule else { return nil }
        return source.keyed(by: rule)
    }

    /// The source with the key under which this manager caches its image. Every look into a cache before
    /// `retrieveImage` needs it.
    func keyed(_ source: Source) -> Source { rekeyed(source) ?? source }

    private func requestParts(for options: KingfisherParsedOptionsInfo) -> ImageRequest.Parts {
        let parts = parts.withLock { $0 }
        let cache = options.targetCache ?? parts.cache
        let downloader = options.downloader ?? parts.downloader
        return ImageRequest.Parts(
            targetCache: cache, originalCache: options.originalCache ?? cache, downloader: downloader,
            processingQueue: options.processingQueue ?? processingQueue, networkMonitor: networkMonitor,
            admission: parts.admission, tiers: parts.tiers, cacheKeyRule: parts.cacheKeyRule,
            readsFileURLs: readsFileURLs(through: downloader))
    }

    /// Whether a request through `downloader` may read file URLs: both that downloader and the manager's
    /// must allow it.
    func readsFileURLs(through downloader: ImageDownloader) -> Bool {
        downloader.readsFileURLs && self.downloader.readsFileURLs
    }

    func parsedOptions(_ options: KingfisherOptionsInfo?) -> KingfisherParsedOptionsInfo {
        guard let options, !options.isEmpty else { return parts.withLock { $0.requestDefaults } }
        let parts = parts.withLock { $0 }
        return KingfisherParsedOptionsInfo(
            parts.defaultOptions, then: options, over: parts.cache, parts.downloader)
    }

    static func viewOptions(_ options: KingfisherOptionsInfo?) -> KingfisherParsedOptionsInfo {
        let manager = options?.manager ?? .shared
        var parsed = manager.parsedOptions(options)
        parsed.manager = manager
        return parsed
    }

    /// Loads the image of a resource.
    ///
    /// The completion handler runs exactly once, on the options' callback queue (by default the main queue).
    /// The progress block runs on the main queue. Returns nil if the image was in memory and ready to use.
    /// Otherwise returns a task that cancels the request; its `sessionTask` is set if a download starts.
    ///
    /// If the source fails, `retryStrategy` decides whether to load it again. If it is not retried, the
    /// `alternativeSources` are loaded in order. On a metered network the `lowDataMode` source is loaded
    /// instead of a download. For each new attempt, `downloadTaskUpdated` gets the task of that attempt once,
    /// on any thread, before the attempt starts. The returned task still cancels the whole request.
    ///
    /// Errors: `requestError` if the request could not be made or was cancelled (`isTaskCancelled`),
    /// `responseError` if the download failed, `cacheError` with `imageNotExisting` if `onlyFromCache` is set
    /// and nothing is cached, `processorError` if the bytes or the processor give no image,
    /// `imageSettingError` if a provider failed or all alternative sources did, and `resourceError` if a
    /// limit was exceeded.
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

    /// Loads the image of a source. See the method for a resource.
    @discardableResult
    public func retrieveImage(
        with source: Source, options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        downloadTaskUpdated: DownloadTaskUpdatedBlock? = nil,
        completionHandler: (@Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)?
    ) -> DownloadTask? {
        let options = parsedOptions(options)
        return retrieveImage(
            source, options,
            plan: RequestPlan(
                source, options, progressBlock: ProgressRelay.carried(progressBlock),
                downloadTaskUpdated: downloadTaskUpdated), completionHandler)
    }

    /// Loads an image as planned.
    @discardableResult
    func retrieveImage(
        _ plan: RequestPlan,
        completionHandler: (@Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)?
    ) -> DownloadTask? {
        retrieveImage(plan.source, plan.options, plan: plan, completionHandler)
    }

    /// Every load of an image passes here.
    ///
    /// - Parameter plan: Made only if memory does not have the image.
    private func retrieveImage(
        _ source: Source, _ options: KingfisherParsedOptionsInfo, plan: @autoclosure () -> RequestPlan,
        _ completionHandler: (@Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)?
    ) -> DownloadTask? {
        // An optional source costs a copy.
        if hasCacheKeyRule.load(ordering: .relaxed), let keyed = rekeyed(source) {
            return lookUp(keyed, options, plan: plan().with(keyed), completionHandler)
        }
        return lookUp(source, options, plan: plan(), completionHandler)
    }

    @inline(__always)
    private func lookUp(
        _ source: Source, _ options: KingfisherParsedOptionsInfo, plan: @autoclosure () -> RequestPlan,
        _ completionHandler: (@Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)?
    ) -> DownloadTask? {
        KingfisherEvents.report(.requestBegan(source: source.eventName))
        let cache = options.targetCache ?? cache
        let insertions = cache.insertions.count
        let stored =
            options.forceRefresh || cache.isSubclass
            ? nil : cache.imageInMemory(forKey: source.cacheKey, options: options)
        // An image of a server that is used without asking it.
        let isUnchecked = !options.httpCaching && source.isNetwork
        // The path of most requests, which allocates nothing.
        if let stored, !AnimationSource.isOutdated(stored, options),
            isUnchecked || isUsable(stored, source, options)
        {
            finish(with: stored, source, options, completionHandler)
            return nil
        }
        let hit = stored.map { cache.memoryHit($0, forKey: source.cacheKey, options: options) }
        if let hit, let image = hit.image, isUnchecked || isUsable(hit.stored, source, options) {
            finish(with: image, source, options, completionHandler)
            return nil
        }
        return ImageRequest(plan(), requestParts(for: options), completion: completionHandler)
            .start(from: hit, lookedUpAt: insertions)
    }

    /// The image that a request would find in memory; always nil for a subclass of `ImageCache`.
    func imageInMemory(
        of source: Source, options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        let (cache, source) = (options.targetCache ?? cache, keyed(source))
        guard !options.forceRefresh, !cache.isSubclass,
            let stored = cache.imageInMemory(forKey: source.cacheKey, options: options),
            !options.httpCaching && source.isNetwork || isUsable(stored, source, options)
        else { return nil }
        return stored
    }

    /// A smaller image of the same source in memory; nil if there is none.
    func smallerImageInMemory(
        of source: Source, options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        guard !options.forceRefresh else { return nil }
        return (options.targetCache ?? cache).smallerImageInMemory(of: keyed(source), options: options)
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

    /// Whether an image in memory may be used without asking its server, and is of the current version of a
    /// local file.
    private func isUsable(
        _ stored: KFCrossPlatformImage, _ source: Source, _ options: KingfisherParsedOptionsInfo
    ) -> Bool {
        let cache = options.targetCache ?? cache
        let key = source.cacheKey.computedKey(with: options.processor.identifier)
        return cache.isUsable(cache.notes.freshness(of: stored, forKey: key), of: source, options)
    }
}

extension KingfisherManager {
    /// Loads the image of a resource. Never waits for the main queue.
    ///
    /// Throws `KingfisherError`, or `CancellationError` if the current task is cancelled already.
    public func retrieveImage(
        with resource: any Resource, options: KingfisherOptionsInfo? = nil,
        progressBlock: SendableProgressBlock? = nil
    ) async throws -> RetrieveImageResult {
        try await retrieveImage(
            with: resource.convertToSource(), options: options, progressBlock: progressBlock)
    }

    /// Loads the image of a source. Never waits for the main queue.
    ///
    /// Throws `KingfisherError`, or `CancellationError` if the current task is cancelled already.
    public func retrieveImage(
        with source: Source, options: KingfisherOptionsInfo? = nil,
        progressBlock: SendableProgressBlock? = nil
    ) async throws -> RetrieveImageResult {
        var parsed = parsedOptions(options)
        parsed.callbackQueue = .untouch
        let plan = RequestPlan(source, parsed, progressBlock: progressBlock)
        return try await cancellable { retrieveImage(plan, completionHandler: $0) }
    }

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

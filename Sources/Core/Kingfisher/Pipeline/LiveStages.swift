import Foundation
import KingfisherConcurrency
import KingfisherImage
import KingfisherTransport
import Synchronization

/// The stages of one source of a request, on the caches, downloader and queues of that request.
///
/// This file has the code that all stages share. Each stage is in an extension file: `+Caches`, `+Tiers`,
/// `+Source`, `+Processing`, `+Storing` and `+Freshness`. Equal work of concurrent requests is done once: a
/// stage subscribes to a `SingleFlight`, and the leader does the work on a queue. Safe from any thread.
final class LiveStages: PipelineStages {
    let source: Source
    let request: ImageRequest
    let key: String
    let computedKey: String
    /// Cancels the request. Its `sessionTask` is the transfer of this source.
    let task: DownloadTask
    let respectsFreshness: Bool
    let hasProcessor: Bool
    let avoidsNetwork: Bool
    /// Taken before memory was read. While it is current, no image was stored in the target cache since.
    let insertions: ChangeCounter.Mark
    let removals: (target: UInt64, original: UInt64)
    private let isTaskNew: Locked<Bool>
    private let state = Mutex(State())

    private struct State: Sendable {
        var hasRegisteredKeys = false
        var leases: TierLeases?
    }

    /// - Parameter task: The task that the caller has already; nil to make a new one.
    init(
        _ source: Source, of request: ImageRequest, task: DownloadTask?, insertions: ChangeCounter.Mark,
        avoidsNetwork: Bool
    ) {
        self.source = source
        self.request = request
        self.avoidsNetwork = avoidsNetwork
        key = source.cacheKey
        let identifier = request.options.processor.identifier
        computedKey = key.computedKey(with: identifier)
        hasProcessor = !identifier.isEmpty
        respectsFreshness =
            if request.options.httpCaching,
                case .network = Self.loaded(source, of: request)
            { true } else { false }
        self.insertions = insertions
        removals = (request.targetCache.removals.mark, request.originalCache.removals.mark)
        let isTaskNew = Locked(task == nil)
        self.isTaskNew = isTaskNew
        self.task =
            task
            ?? DownloadTask(
                cancelWork: { _ in request.cancel() },
                whenLinked: { task in if isTaskNew.take() { request.announce(task) } })
    }

    var options: KingfisherParsedOptionsInfo { request.options }
    var loadedSource: Source { Self.loaded(source, of: request) }
    var skipsCaches: Bool { request.options.forceRefresh }
    var readsMemoryOnly: Bool { request.options.fromMemoryCacheOrRefresh }

    private static func loaded(_ source: Source, of request: ImageRequest) -> Source {
        source.loaded(
            readingFileURLs: request.readsFileURLs, maxBodyBytes: request.downloader.maxBodyBytes)
    }

    /// The cache and key of the processed image and, if there is a processor, of its original.
    var cacheLocations: [(cache: ImageCache, key: String)] {
        let target = (request.targetCache, computedKey)
        return hasProcessor ? [target, (request.originalCache, key)] : [target]
    }

    /// Whether the image or its original was removed from a cache, by tag or prefix, since the request began.
    var wasRemoved: Bool {
        let (target, original) = (request.targetCache, request.originalCache)
        return target.removals.contains(key: computedKey, tags: options.tags, since: removals.target)
            || original !== target
                && original.removals.contains(key: key, tags: options.tags, since: removals.original)
    }

    /// Differs for requests before and after such a removal, which must not share what they load.
    var removalNumber: UInt64 {
        let (target, original) = (request.targetCache, request.originalCache)
        let number = target.removals.last(key: computedKey, tags: options.tags)
        guard original !== target else { return number }
        return number &+ original.removals.last(key: key, tags: options.tags)
    }

    /// Registers this request with the caches until it ends, because they count versions of files only for
    /// registered keys. Returns the store state of the processed image on the first call, nil on later ones.
    @discardableResult
    func registerKeys() -> DiskTraffic.Stored? {
        let isFirst = state.withLock { state in
            defer { state.hasRegisteredKeys = true }
            return !state.hasRegisteredKeys
        }
        guard isFirst else { return nil }
        var stored: DiskTraffic.Stored?
        for (cache, key) in cacheLocations {
            let written = cache.traffic.register(key)
            stored = stored ?? written
            request.addCleanup { [traffic = cache.traffic] in
                traffic.unregister(key)
                return nil
            }
        }
        return stored
    }

    func announceTask() {
        if isTaskNew.take() { request.announce(task) }
    }

    func end(with error: KingfisherError) {
        request.endSource()
        // A download may fail before its transfer starts; the caller still gets the new task.
        if !error.isUserCancellation { announceTask() }
    }

    var leases: TierLeases? { state.withLock(\.leases) }

    func keep(_ leases: TierLeases) { state.set(\.leases, to: leases) }

    func renew(_ renewal: Renewal) {
        let isReplacement = if case .replacement = renewal { true } else { false }
        guard !options.onlyFromCache, !avoidsNetwork else { return }
        ImageRequest(renewing: source, for: request, forcesRefresh: isReplacement).start(renewal)
    }

    // MARK: Waiting

    var notFoundError: KingfisherError { .cacheError(reason: .imageNotExisting(key: key)) }

    func checkIsWanted() throws(KingfisherError) {
        guard request.isWanted else { throw notFoundError }
    }

    /// Like `ImageRequest.wait`, but throws if the request is superseded before or during the wait.
    nonisolated(nonsending) func waitIfWanted<Value: Sendable>(
        _ start: @escaping @Sendable (Resume<Value>) -> Void
    ) async throws(KingfisherError) -> Value {
        try checkIsWanted()
        let value = try await request.wait(start)
        try checkIsWanted()
        return value
    }

    enum SharedOutcome<Outcome: Sendable>: Sendable {
        case outcome(Outcome)
        case cacheHasChanged
    }

    /// Subscribes to work that concurrent requests share, until the request ends.
    ///
    /// - Parameters:
    ///   - acceptsCompleted: False if the result of completed work must not be used.
    ///   - mark: Taken before the cache was read. If it is outdated, no new work starts.
    ///   - lead: Does the work. Called if this request is the leader.
    ///   - serve: Runs the closure that resumes the pipeline if the work is completed already.
    func share<Key, Outcome>(
        _ work: SingleFlight<Key, Outcome>, _ key: Key, acceptsCompleted: Bool = true,
        since mark: ChangeCounter.Mark? = nil, resume: Resume<SharedOutcome<Outcome>>,
        lead: (SingleFlight<Key, Outcome>.Leader) -> Void,
        serve: (@escaping @Sendable () -> Void) -> Void = { $0() }
    ) {
        let waiter = SingleFlight<Key, Outcome>.Waiter(isWanted: { [request] in request.isWanted }) {
            resume(.outcome($0))
        }
        let (role, subscription) = work.join(key, waiter, acceptsCompleted: acceptsCompleted, since: mark)
        request.addCleanup { work.leave(subscription) }
        switch role {
        case .leader(let leader): lead(leader)
        case .completed(let outcome): serve { resume(.outcome(outcome)) }
        case .outdated: resume(.cacheHasChanged)
        case .waiter: break
        }
    }

    // MARK: Results

    func result(_ image: KFCrossPlatformImage, from type: CacheType, then renewal: Renewal?) -> PipelineResult
    {
        PipelineResult(.cached(image, type, source, for: request.source, options), renewal: renewal)
    }

    func processingFailure(of item: ImageProcessItem) -> KingfisherError {
        .processorError(reason: .processingFailed(processor: options.processor, item: item))
    }

    func result(_ new: NewImage, then renewal: Renewal?) -> PipelineResult {
        let original = new.original
        // `retrieveData` encodes the image itself and needs the original for that.
        let givesOriginal = new.isFetched || options.keepsEncoded
        let data: @Sendable () -> Data? =
            if givesOriginal { { original } } else { options.encoding(of: new.image) }
        let elapsed = (ContinuousClock.now - request.startTime).seconds
        let result = RetrieveImageResult(
            image: new.image, cacheType: .none, source: source, originalSource: request.source, data: data,
            metrics: new.metrics.map { NetworkMetrics($0, retrieveImageDuration: elapsed) })
        return PipelineResult(result, renewal: renewal)
    }
}

extension Locked<Bool> {
    fileprivate func take() -> Bool {
        withLock { value in
            defer { value = false }
            return value
        }
    }
}

extension KingfisherError {
    static func cancelled(_ source: Source, task: DownloadTask?) -> KingfisherError {
        switch source {
        case .provider(let provider):
            .requestError(reason: .dataProviderCancelled(provider: provider))
        case .network(let resource):
            .requestError(
                reason: .taskCancelled(
                    task: task?.sessionTask
                        ?? SessionDataTask(
                            request: URLRequest(url: resource.downloadURL),
                            key: TransferKey(resource.downloadURL), downloader: nil),
                    token: task?.cancelToken ?? 0))
        }
    }
}

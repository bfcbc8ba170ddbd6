import Foundation
import KingfisherConcurrency
import KingfisherImage
import KingfisherTransport
import Synchronization

/// The stages of one source for a request: what they need in caches, downloader and queues. Safe from any
/// thread.
final class SourceStages: RouteStages {
    let source: Source
    let request: ImageRequest
    let key: String
    let computedKey: String
    /// Cancels the request, and shows the source's transfer.
    let task: DownloadTask
    let respectsFreshness: Bool
    let hasProcessor: Bool
    /// Whether to leave the network alone, because it is metered and a lighter source is at hand.
    let avoidsNetwork: Bool
    /// What had come into the target cache when memory was asked.
    let arrivals: ChangeCounter.Mark
    /// Whether the caller has yet to hear of the task.
    private let isTaskNew: Locked<Bool>
    private let state = Mutex(State())

    private struct State: Sendable {
        var hasVisited = false
        /// The rights to write what this makes to tiers, until it does.
        var leases: TierLeases?
    }

    /// - Parameter task: The caller's, which knows it already; nil for a new one.
    init(
        _ source: Source, of request: ImageRequest, task: DownloadTask?, arrivals: ChangeCounter.Mark,
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
                case .network = source.loaded(readingFileURLs: request.readsFileURLs)
            { true } else { false }
        self.arrivals = arrivals
        let isTaskNew = Locked(task == nil)
        self.isTaskNew = isTaskNew
        self.task =
            task
            ?? DownloadTask(
                cancelWork: { _ in request.cancel() },
                whenLinked: { task in if isTaskNew.take() { request.announce(task) } })
    }

    var options: KingfisherParsedOptionsInfo { request.options }
    var skipsCaches: Bool { request.options.forceRefresh }
    var readsMemoryOnly: Bool { request.options.fromMemoryCacheOrRefresh }

    /// Where the image is kept, and after that the original that it is made of, if it is.
    var places: [(cache: ImageCache, key: String)] {
        let target = (request.targetCache, computedKey)
        return hasProcessor ? [target, (request.originalCache, key)] : [target]
    }

    /// Says to the caches that this request is there: versions of files are known to visitors only, that of
    /// the original as well, whether it is stored, processed or read.
    ///
    /// Returns what is known of the image's own key, the first time.
    @discardableResult
    func visitCaches() -> DiskTraffic.Stored? {
        let isFirst = state.withLock { state in
            defer { state.hasVisited = true }
            return !state.hasVisited
        }
        guard isFirst else { return nil }
        var stored: DiskTraffic.Stored?
        for (cache, key) in places {
            let visited = cache.traffic.visit(key)
            stored = stored ?? visited
            request.addCleanup { [traffic = cache.traffic] in
                traffic.leave(key)
                return nil
            }
        }
        return stored
    }

    /// Tells the caller of the task that took over, once.
    func announceTask() {
        if isTaskNew.take() { request.announce(task) }
    }

    func end(with error: KingfisherError) {
        request.endSource()
        // A download may fail before it has a transfer; its task was new all the same.
        if !error.isUserCancellation { announceTask() }
    }

    /// The leases of tiers for what this makes. They are given back with it.
    var leases: TierLeases? { state.withLock(\.leases) }

    func keep(_ leases: TierLeases) {
        let old = state.withLock { state in
            defer { state.leases = leases }
            return state.leases
        }
        withExtendedLifetime(old) {}
    }

    func renew(_ renewal: Renewal) {
        let isReplacement = if case .replacement = renewal { true } else { false }
        guard !options.onlyFromCache, !avoidsNetwork else { return }
        ImageRequest(renewing: source, for: request, forcesRefresh: isReplacement).start(renewal)
    }

    // MARK: Waiting

    var notExisting: KingfisherError { .cacheError(reason: .imageNotExisting(key: key)) }

    func checkIsWanted() throws(KingfisherError) {
        guard request.isWanted else { throw notExisting }
    }

    /// Waits as the request does, and throws when it was superseded before or meanwhile.
    nonisolated(nonsending) func waitIfWanted<Value: Sendable>(
        _ begin: @escaping @Sendable (Resume<Value>) -> Void
    ) async throws(KingfisherError) -> Value {
        try checkIsWanted()
        let value = try await request.wait(begin)
        try checkIsWanted()
        return value
    }

    /// What came of work that is shared.
    enum Shared<Outcome: Sendable>: Sendable {
        case outcome(Outcome)
        /// There is no work to join, and something has come into the cache meanwhile.
        case cacheHasChanged
    }

    /// Joins work that others may do, or want done, at the same time.
    ///
    /// - Parameters:
    ///   - acceptsCompleted: False for a request that wants work that was not done yet when it asked.
    ///   - mark: What had come into the cache when it was looked up.
    ///   - lead: Called where this request has to do the work.
    ///   - serve: Runs the end of the wait where the work is done already.
    func share<Key, Outcome>(
        _ work: SingleFlight<Key, Outcome>, _ key: Key, acceptsCompleted: Bool = true,
        since mark: ChangeCounter.Mark? = nil, resume: Resume<Shared<Outcome>>,
        lead: (SingleFlight<Key, Outcome>.Leader) -> Void,
        serve: (@escaping @Sendable () -> Void) -> Void = { $0() }
    ) {
        let waiter = SingleFlight<Key, Outcome>.Waiter(isWanted: { [request] in request.isWanted }) {
            resume(.outcome($0))
        }
        let (role, place) = work.join(key, waiter, acceptsCompleted: acceptsCompleted, since: mark)
        request.addCleanup { work.leave(place) }
        switch role {
        case .leader(let leader): lead(leader)
        case .completed(let outcome): serve { resume(.outcome(outcome)) }
        case .outdated: resume(.cacheHasChanged)
        case .waiter: break
        }
    }

    // MARK: Results

    func loaded(_ image: KFCrossPlatformImage, from type: CacheType, then renewal: Renewal?) -> Loaded {
        Loaded(.cached(image, type, source, for: request.source, options), renewal: renewal)
    }

    func refusal(of item: ImageProcessItem) -> KingfisherError {
        .processorError(reason: .processingFailed(processor: options.processor, item: item))
    }

    func loaded(_ new: NewImage, then renewal: Renewal?) -> Loaded {
        let original = new.original
        // A request for the file encodes the image itself, with what it was made of.
        let isOriginalGiven = new.isFetched || options.keepsEncoded
        let data: @Sendable () -> Data? =
            if isOriginalGiven { { original } } else { options.encoding(of: new.image) }
        let elapsed = (ContinuousClock.now - request.startTime).seconds
        let result = RetrieveImageResult(
            image: new.image, cacheType: .none, source: source, originalSource: request.source, data: data,
            metrics: new.metrics.map { NetworkMetrics($0, retrieveImageDuration: elapsed) })
        return Loaded(result, renewal: renewal)
    }
}

extension Locked<Bool> {
    /// The value, which is false from now on.
    fileprivate func take() -> Bool {
        withLock { value in
            defer { value = false }
            return value
        }
    }
}

extension KingfisherError {
    /// The error of a request that is given up; names the transfer, if there was one.
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

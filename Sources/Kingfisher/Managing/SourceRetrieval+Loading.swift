import Foundation
import KingfisherImage
import KingfisherTransport
import Synchronization

extension SourceRetrieval {
    /// Has the downloader fetch and process the picture, unless a stale answer proves good.
    func download(_ resource: any Resource, _ task: DownloadTask, insteadOf answer: CachedAnswer?) {
        var unqueued = options
        // The report goes to the caller's queue once, at the end.
        unqueued.callbackQueue = .untouch
        let cacheCheck = CacheCheck(
            isPictureThere: { [self] in takesAnotherLook() },
            lookAgain: { [self] in askCaches(task) })
        request.downloader.fetch(
            resource.downloadURL, options: unqueued, task: task,
            cacheCheck: looksAgain ? cacheCheck : nil, revalidation: revalidation(of: answer, task),
            admission: request.admission, progressBlock: request.progressBlock
        ) { [self] result in
            switch result {
            case .success(let loaded):
                keep(
                    loaded.image, original: loaded.originalData, isFresh: true, metrics: loaded.metrics,
                    freshness: options.httpCaching
                        ? loaded.arrival?.freshness(by: request.targetCache.clock) : nil,
                    insteadOf: answer, ticket: loaded.ticket)
            case .failure(let error): finish(error, insteadOf: answer)
            }
        }
    }

    /// Has a provider supply the bytes, together with whoever wants those of an equal one, and processes
    /// them.
    func supply(_ provider: any ImageDataProvider, _ task: DownloadTask) {
        share(
            request.targetCache.supplies, ProviderIdentity(provider, wantsFresh: options.forceRefresh),
            acceptsLanded: !options.forceRefresh, unless: { takesAnotherLook() }
        ) { turn in
            switch turn {
            case .lead(let lead):
                let load = ProviderLoad()
                lead.whenAbandoned { load.cancel() }
                load.start(provider) { result in
                    let material = result.map { Material(.data($0)) }
                    // Who comes after a failure, one that tries again for example, has the provider asked
                    // anew.
                    lead.land(material, isKept: result.isSuccess)
                }
            case .served(let result): process(result, from: provider)
            case .refused: askCaches(task)
            case .wait: break
            }
        } receive: { [self] result in
            process(result, from: provider)
        }
    }

    private func process(_ supplied: Result<Material, any Error>, from provider: any ImageDataProvider) {
        switch supplied {
        case .failure(let error):
            finish(.failure(.imageSettingError(reason: .dataProviderError(provider: provider, error: error))))
        case .success(let material):
            processing(material.item, isHeld: true) { [self] in
                guard !isOver else { return }
                material.make(Material.Recipe(variant: options.pictureVariant)) { [self] in
                    process(material.item, original: material.item.data)
                } completion: { [self] making in
                    guard !isOver else { return }
                    guard case .made(let image, let original) = making else {
                        return fail(processing: material.item)
                    }
                    keep(image, original: original, isFresh: true)
                }
            }
        }
    }

    /// Stores a new picture and reports it: at once, or when it is on disk. `isFresh` tells an original that
    /// was just fetched from one that a cache had. `answer` is the stale one whose place the picture takes.
    /// `ticket` is let go of when the bytes are on disk.
    func keep(
        _ image: KFCrossPlatformImage, original: Data?, isFresh: Bool, metrics: NetworkMetrics? = nil,
        freshness: HTTPFreshness? = nil, insteadOf answer: CachedAnswer? = nil,
        ticket: AdmissionTicket? = nil
    ) {
        let replacesOriginal = isFresh && answer?.isOriginal == true
        let cachesOriginal =
            isFresh && (options.cacheOriginalImage || replacesOriginal && !options.cacheMemoryOnly)
            && !options.processor.identifier.isEmpty && original != nil
        let coordinator = Locked(
            CacheCallbackCoordinator(waitsForCache: options.waitForCache, cachesOriginal: cachesOriginal))
        let result = made(image, of: original, isFresh: isFresh, metrics: metrics)
        // Nobody who does not ask for such a picture may find it in a cache.
        if let original, options.isPartial(original) { return finish(.success(result)) }
        if let freshness, !freshness.isStorable {
            removeStored()
            return finish(.success(result))
        }
        let note: @Sendable (CacheCallbackCoordinator.Event) -> Void = { [self] event in
            withExtendedLifetime(ticket) {
                if coordinator.withLock({ $0.apply(event) }) { finish(.success(result)) }
            }
        }
        var unqueued = options
        unqueued.callbackQueue = .untouch
        unqueued.fileObserver = tierWrite(tierKey, leases)
        // What a serializer of originals gives back is processed again, and must not be so already.
        let isStorable =
            original != nil || options.processor.identifier.isEmpty
            || !options.cacheSerializer.originalDataUsed
        // First: who finds the image in memory asks for this. A download that is shared with those who do not
        // ask for it must not take away what is known.
        if let freshness { request.targetCache.notes.note(freshness, of: image, forKey: computedKey) }
        request.targetCache.store(
            image, original: original, forKey: key, options: unqueued,
            toDisk: isStorable && !options.cacheMemoryOnly
        ) { _ in note(.imageCached) }
        // What memory has of the old one would be found before the file. Where nothing is to be written, the
        // old file stays, and is asked about by whoever finds it.
        if replacesOriginal { request.originalCache.memoryStorage.remove(forKey: key) }
        if cachesOriginal, let original {
            storeOriginal(original, freshness) { note(.originalCached) }
        }
        note(.cacheInitiated)
    }

    private func storeOriginal(
        _ data: Data, _ freshness: HTTPFreshness?, _ completion: @escaping @Sendable () -> Void
    ) {
        let cache = request.originalCache
        if request.tiers?.keepsOriginals == true, !options.cacheMemoryOnly {
            tierWrite(originalTierKey, nil, originals: true)?(
                EncodedImage(data: data, freshness: freshness, tags: options.tags))
        }
        // By the method that a subclass may override, where that can say all.
        guard !cache.isSubclass || freshness != nil || !options.tags.isEmpty else {
            return cache.storeToDisk(
                data, forKey: key, forcedExtension: options.forcedExtension,
                expiration: options.diskCacheExpiration
            ) { _ in completion() }
        }
        cache.storeToDisk(
            data, forComputedKey: key, forcedExtension: options.forcedExtension,
            expiration: options.diskCacheExpiration, freshness: freshness, tags: options.tags
        ) { _ in completion() }
    }

    /// Reports a picture that was made of what a cache had, and is not to be stored: there is a
    /// newer one by now.
    func finish(unstored image: KFCrossPlatformImage) {
        finish(.success(made(image, of: nil, isFresh: false)))
    }

    private func made(
        _ image: KFCrossPlatformImage, of original: Data?, isFresh: Bool, metrics: NetworkMetrics? = nil
    ) -> RetrieveImageResult {
        let data: @Sendable () -> Data? =
            if isFresh { { original } } else { RetrieveImageResult.encoding(of: image, options) }
        let elapsed = (ContinuousClock.now - request.startTime).seconds
        var result = RetrieveImageResult(
            image: image, cacheType: .none, source: source, originalSource: request.originalSource,
            data: data,
            metrics: metrics.map { NetworkMetrics($0, retrieveImageDuration: elapsed) })
        result.original = original
        return result
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}

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
        request.downloader.download(
            resource.downloadURL, options: unqueued, task: task,
            cacheCheck: looksAgain ? cacheCheck : nil, revalidation: revalidation(of: answer, task),
            progressBlock: request.progressBlock
        ) { [self] result in
            switch result {
            case .success(let loaded):
                keep(
                    loaded.image, original: loaded.originalData, isFresh: true, metrics: loaded.metrics,
                    freshness: options.httpCaching
                        ? loaded.arrival?.freshness(by: request.targetCache.clock) : nil,
                    insteadOf: answer)
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
            request.processingQueue.execute { [self] in
                guard !isOver else { return }
                material.make(options.pictureVariant) { [self] in
                    let image = options.process(material.item, of: source.eventName)
                    return image.map { .made($0) } ?? .refused
                } completion: { [self] making in
                    guard !isOver else { return }
                    guard case .made(let image) = making, case .data(let data) = material.item else {
                        return fail(processing: material.item)
                    }
                    keep(image, original: data, isFresh: true)
                }
            }
        }
    }

    /// Stores a new picture and reports it: at once, or when it is on disk. `isFresh` tells an original that
    /// was just fetched from one that a cache had. `answer` is the stale one whose place the picture takes.
    func keep(
        _ image: KFCrossPlatformImage, original: Data?, isFresh: Bool, metrics: NetworkMetrics? = nil,
        freshness: HTTPFreshness? = nil, insteadOf answer: CachedAnswer? = nil
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
            if coordinator.withLock({ $0.apply(event) }) { finish(.success(result)) }
        }
        var unqueued = options
        unqueued.callbackQueue = .untouch
        // What a serializer of originals gives back is processed again, and must not be so already.
        let isStorable =
            original != nil || options.processor.identifier.isEmpty
            || !options.cacheSerializer.originalDataUsed
        request.targetCache.store(
            image, original: original, forKey: key, options: unqueued,
            toDisk: isStorable && !options.cacheMemoryOnly, freshness: freshness
        ) { _ in note(.imageCached) }
        // What memory has of the old one would be found before the file. Where nothing is to be written, the
        // old file stays, and is asked about by whoever finds it.
        if replacesOriginal { request.originalCache.memoryStorage.remove(forKey: key) }
        if cachesOriginal, let original {
            request.originalCache.storeToDisk(
                original, forComputedKey: key, forcedExtension: options.forcedExtension,
                expiration: options.diskCacheExpiration, freshness: freshness
            ) { _ in note(.originalCached) }
        }
        note(.cacheInitiated)
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
        return RetrieveImageResult(
            image: image, cacheType: .none, source: source, originalSource: request.originalSource,
            data: data,
            metrics: metrics.map { NetworkMetrics($0, retrieveImageDuration: elapsed) })
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}

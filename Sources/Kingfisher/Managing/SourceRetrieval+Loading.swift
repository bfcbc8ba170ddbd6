import Foundation
import KingfisherImage
import Synchronization

extension SourceRetrieval {
    /// Has the downloader fetch and process the picture.
    func download(_ resource: any Resource, _ task: DownloadTask) {
        var unqueued = options
        // The report goes to the caller's queue once, at the end.
        unqueued.callbackQueue = .untouch
        // Who does not ask the disk would not find there what is on its way to it, and look again for ever.
        let looksAgain = !options.forceRefresh && !options.fromMemoryCacheOrRefresh
        let cacheCheck = CacheCheck(
            isPictureThere: { [self] in pendingImage != nil },
            lookAgain: { [self] in askCaches(task) })
        request.downloader.download(
            resource.downloadURL, options: unqueued, task: task,
            cacheCheck: looksAgain ? cacheCheck : nil, progressBlock: request.progressBlock
        ) { [self] result in
            switch result {
            case .success(let loaded):
                keep(loaded.image, original: loaded.originalData, isFresh: true, metrics: loaded.metrics)
            case .failure(let error): finish(.failure(error))
            }
        }
    }

    /// Has a provider supply the bytes, and processes them.
    func supply(_ provider: any ImageDataProvider) {
        providerLoad.start(provider) { [self] result in
            switch result {
            case .success(let data): process(data)
            case .failure(let error):
                finish(
                    .failure(.imageSettingError(reason: .dataProviderError(provider: provider, error: error)))
                )
            }
        }
    }

    private func process(_ data: Data) {
        request.processingQueue.execute { [self] in
            guard !isOver else { return }
            let item = ImageProcessItem.data(data)
            guard let image = options.processor.process(item: item, options: options) else {
                return finish(
                    .failure(
                        .processorError(reason: .processingFailed(processor: options.processor, item: item))))
            }
            keep(image, original: data, isFresh: true)
        }
    }

    /// Stores a new picture and reports it: at once, or when it is on disk. `isFresh` tells an original that was
    /// just fetched from one that a cache had.
    func keep(
        _ image: KFCrossPlatformImage, original: Data?, isFresh: Bool, metrics: NetworkMetrics? = nil
    ) {
        let cachesOriginal =
            isFresh && options.cacheOriginalImage && !options.processor.identifier.isEmpty && original != nil
        let coordinator = Locked(
            CacheCallbackCoordinator(waitsForCache: options.waitForCache, cachesOriginal: cachesOriginal))
        let data: @Sendable () -> Data? = if isFresh { { original } } else { encoding(of: image) }
        let elapsed = (ContinuousClock.now - request.startTime).seconds
        let result = RetrieveImageResult(
            image: image, cacheType: .none, source: source, originalSource: request.originalSource,
            data: data,
            metrics: metrics.map { NetworkMetrics($0, retrieveImageDuration: elapsed) })
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
            image, original: original, forKey: source.cacheKey, options: unqueued,
            toDisk: isStorable && !options.cacheMemoryOnly
        ) { _ in note(.imageCached) }
        if cachesOriginal, let original {
            request.originalCache.storeToDisk(
                original, forKey: source.cacheKey, forcedExtension: options.forcedExtension,
                expiration: options.diskCacheExpiration
            ) { _ in note(.originalCached) }
        }
        note(.cacheInitiated)
    }
}

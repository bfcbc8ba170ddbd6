import Foundation
import KingfisherImage

extension SourceRetrieval {
    private var key: String { source.cacheKey }
    private var computedKey: String { key.computedKey(with: options.processor.identifier) }

    /// A hit in memory. An animation that was made another way is made anew from its bytes, off this thread.
    func reportMemoryHit(_ image: KFCrossPlatformImage) {
        guard let data = dataToRecreate(image) else { return finish(.success(cached(image, .memory))) }
        request.processingQueue.execute { [self] in
            let recreated = options.processor.process(item: .data(data), options: options)
            finish(.success(cached(recreated ?? image, .memory)))
        }
    }

    /// Asks the disk, on the cache's lanes or (`loadDiskFileSynchronously`) here.
    func askCaches(_ task: DownloadTask) {
        if options.fromMemoryCacheOrRefresh {
            return useOriginal(originalInMemory.map { .image($0) }, task)
        }
        if options.loadDiskFileSynchronously {
            return askTargetDisk(task)
        }
        request.targetCache.lanes.run(key: computedKey) { [self] in askTargetDisk(task) }
    }

    private func askTargetDisk(_ task: DownloadTask) {
        guard isWanted else { return finish(.failure(notExisting)) }
        // One that waited for the same file may have put it into memory: equal work is done once.
        if let image = request.targetCache.retrieveImageInMemoryCache(forKey: key, options: options) {
            return reportMemoryHit(image)
        }
        // A file that cannot be read is no reason to fail: the source still has the picture.
        let found = try? request.targetCache.promoteFromDisk(
            key, options: options, isCurrent: { self.isWanted }, finishing: finishStored
        ).get()
        if let image = found?.image {
            return finish(.success(cached(image, .disk)))
        }
        // Since memory was asked, another request may have fetched the picture and be about to write it.
        if let image = pendingImage {
            return finish(.success(cached(image, .memory)))
        }
        guard !options.processor.identifier.isEmpty else { return load(task) }
        if let image = originalInMemory {
            useOriginal(.image(image), task)
        } else if options.loadDiskFileSynchronously {
            askOriginalDisk(task)
        } else {
            // The lane of the original's own key: a store of it that is still on its way comes first.
            request.originalCache.lanes.run(key: key) { [self] in askOriginalDisk(task) }
        }
    }

    /// A picture that is about to be written.
    var pendingImage: KFCrossPlatformImage? {
        request.targetCache.pendingWrites.image(forKey: computedKey)
    }

    /// With a serializer that keeps original bytes, the disk holds the unprocessed picture.
    private func finishStored(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage? {
        guard options.cacheSerializer.originalDataUsed, !options.processor.identifier.isEmpty else {
            return image
        }
        return options.processor.process(item: .image(image), options: options)
    }

    private func askOriginalDisk(_ task: DownloadTask) {
        guard isWanted else { return finish(.failure(notExisting)) }
        let data = try? request.originalCache.diskStorage.value(
            forKey: key, forcedExtension: options.forcedExtension,
            extendingExpiration: options.diskCacheAccessExtendingExpiration)
        useOriginal(data.map { .data($0) }, task)
    }

    private var originalInMemory: KFCrossPlatformImage? {
        guard !options.processor.identifier.isEmpty else { return nil }
        return request.originalCache.memoryStorage.value(
            forKey: key, extendingExpiration: options.memoryCacheAccessExtendingExpiration)
    }

    /// Processes a cached original; goes to the source when there is none, or one that is no picture.
    private func useOriginal(_ item: ImageProcessItem?, _ task: DownloadTask) {
        guard let item else { return load(task) }
        request.processingQueue.execute { [self] in
            guard isWanted else { return finish(.failure(notExisting)) }
            if let image = options.processor.process(item: item, options: options) {
                return keep(image, original: item.data, isFresh: false)
            }
            guard item.decoded(with: options) != nil else { return load(task) }
            finish(
                .failure(
                    .processorError(reason: .processingFailed(processor: options.processor, item: item))))
        }
    }

    /// The bytes of an animation that was made with other options than these.
    private func dataToRecreate(_ image: KFCrossPlatformImage) -> Data? {
        guard let count = image.kf.imageFrameCount, count > 1,
            image.kf.creatingOptions != options.imageCreatingOptions
        else { return nil }
        return image.kf.animatedData
    }

    private func cached(_ image: KFCrossPlatformImage, _ type: CacheType) -> RetrieveImageResult {
        RetrieveImageResult(
            image: image, cacheType: type, source: source, originalSource: request.originalSource,
            data: encoding(of: image))
    }

    /// The bytes that a picture from a cache stands for: those of the original would show another picture.
    func encoding(of image: KFCrossPlatformImage) -> @Sendable () -> Data? {
        { [serializer = options.cacheSerializer] in serializer.data(with: image, original: nil) }
    }
}

extension ImageProcessItem {
    /// The bytes, unless the item is a picture.
    fileprivate var data: Data? {
        if case .data(let data) = self { data } else { nil }
    }
}

import Foundation
import KingfisherImage

extension SourceRetrieval {
    private var key: String { source.cacheKey }
    private var computedKey: String { key.computedKey(with: options.processor.identifier) }

    /// What memory has now; nil for nothing, or if it may not be asked.
    var memoryHit: MemoryHit? { options.forceRefresh ? nil : lookUpMemory() }

    /// Answers with a hit. An animation that was made another way is made anew, off this thread, if somebody still
    /// waits for it when its turn comes.
    func finish(with hit: MemoryHit) {
        switch hit {
        case .ready(let image):
            finish(with: image)
        case .outdated(let image, let material):
            request.processingQueue.execute { [self] in
                guard isWanted else { return finish(.failure(notExisting)) }
                request.targetCache.recreatedPictures.make(
                    recreation(of: image), of: image,
                    with: { [options] in material.picture(with: options) },
                    completion: { [self] in finish(with: $0 ?? image) })
            }
        }
    }

    func finish(with image: KFCrossPlatformImage) {
        finish(.success(cached(image, .memory)))
    }

    private func lookUpMemory() -> MemoryHit? {
        let cache = request.targetCache
        guard let image = cache.retrieveImageInMemoryCache(forKey: key, options: options) else { return nil }
        guard let material = AnimationMaterial(image, options: options) else { return .ready(image) }
        let recreated = cache.recreatedPictures.picture(recreation(of: image), of: image)
        return recreated.map { .ready($0) } ?? .outdated(image, material)
    }

    private func recreation(of image: KFCrossPlatformImage) -> RecreatedPictures.Key {
        RecreatedPictures.Key(computedKey, image, options.imageCreatingOptions)
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
        if let hit = lookUpMemory() { return finish(with: hit) }
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
            let item = asked(item)
            if let image = options.processor.process(item: item, options: options) {
                return keep(image, original: item.file, isFresh: false)
            }
            guard item.decoded(with: options) != nil else { return load(task) }
            finish(
                .failure(
                    .processorError(reason: .processingFailed(processor: options.processor, item: item))))
        }
    }

    /// An original in memory as its file would give it with these options: it may have been loaded with others.
    private func asked(_ item: ImageProcessItem) -> ImageProcessItem {
        guard case .image(let original) = item else { return item }
        var unprocessed = options
        unprocessed.processor = DefaultImageProcessor.default
        // That processor keeps the frames it makes, not those it makes them of.
        if options.processor is FramewiseImageProcessor { unprocessed.preloadAllAnimationData = false }
        // Frames that somebody has processed are the original here, not what they were made of.
        let material = AnimationMaterial(original, options: unprocessed)
        guard case .bytes? = material, let anew = material?.picture(with: unprocessed) else {
            return .image(original.kf.scaled(to: options.scaleFactor))
        }
        return .image(anew)
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
    /// The bytes, or those that the picture was made from, where it has kept them.
    fileprivate var file: Data? {
        switch self {
        case .data(let data): data
        case .image(let image): image.kf.fileBytes
        }
    }
}

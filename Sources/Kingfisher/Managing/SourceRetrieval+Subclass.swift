import Foundation
import KingfisherImage

/// How caches are asked whose methods may be overridden: by these methods, for each request by itself.
extension SourceRetrieval {
    /// Answers with what the target cache gives, or goes on to the original and the source.
    func askSubclass(_ task: DownloadTask) {
        ask(request.targetCache, options) { [self] found in
            guard isWanted else { return finish(.failure(notExisting)) }
            switch found {
            case .memory(let image): finish(with: hit(image), task)
            case .disk(let image): answer(withStored: image, task)
            case .none: askOriginal(task)
            }
        }
    }

    /// With a serializer that keeps original bytes, the disk holds the unprocessed image; what the cache has
    /// put into memory of it gives way to the processed one.
    private func answer(withStored stored: KFCrossPlatformImage, _ task: DownloadTask) {
        guard let image = finishStored(stored) else { return askOriginal(task) }
        if image !== stored { request.targetCache.promote(image, forKey: key, options: options) }
        let answer = CachedAnswer(
            place: .target(image), isFromDisk: true, freshness: freshness(of: image)
        ) { retrieval, _, _ in
            retrieval.finish(.success(retrieval.cached(image, .disk)))
        }
        use(answer, task)
    }

    /// Makes the image of the original that its cache gives, decoded by the serializer, or goes on to the
    /// source.
    func askSubclassForOriginal(_ task: DownloadTask) {
        ask(request.originalCache, unprocessed) { [self] found in
            guard isWanted else { return finish(.failure(notExisting)) }
            guard let image = found.image else { return load(task) }
            let freshness = request.originalCache.notes.freshness(of: image, forKey: key)
            use(Material(.image(image), freshness: freshness), task)
        }
    }

    /// What memory has is given on this thread.
    private func ask(
        _ cache: ImageCache, _ options: KingfisherParsedOptionsInfo,
        _ completion: @escaping @Sendable (ImageCacheResult) -> Void
    ) {
        let identifier = options.processor.identifier
        let ask: @Sendable () -> Void = { [self] in
            guard isWanted else { return finish(.failure(notExisting)) }
            let type = cache.imageCachedType(
                forKey: key, processorIdentifier: identifier, forcedExtension: options.forcedExtension)
            guard type.cached else { return completion(.none) }
            cache.retrieveImage(forKey: key, options: options, callbackQueue: .untouch) {
                completion((try? $0.get()) ?? .none)
            }
        }
        let computedKey = key.computedKey(with: identifier)
        if options.readsDiskOnCallersThread || cache.memoryStorage.isCached(forKey: computedKey) {
            ask()
        } else {
            cache.lanes.run(key: computedKey, ask)
        }
    }
}

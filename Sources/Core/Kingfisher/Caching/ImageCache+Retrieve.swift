import Foundation
import KingfisherConcurrency
import KingfisherStorage
import KingfisherTransport

extension ImageCache {
    func imageInMemory(
        forKey key: String, options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        memoryStorage.value(
            forKey: key.computedKey(with: options.processorIdentifier),
            extendingExpiration: options.memoryCacheAccessExtendingExpiration)
    }

    /// Whether methods may be overridden, so that managers must call them.
    var isSubclass: Bool { type(of: self) != ImageCache.self }

    func promoteFromDisk(
        _ key: String, options: KingfisherParsedOptionsInfo
    ) -> Result<ImageCacheResult, KingfisherError> {
        imageOnDisk(key, options: options).map { image in
            guard let image else { return .none }
            promote(image, forKey: key, options: options)
            return .disk(image)
        }
    }

    func promote(_ image: KFCrossPlatformImage, forKey key: String, options: KingfisherParsedOptionsInfo) {
        guard !options.keepsEncoded else { return }
        let identifier = options.processor.identifier
        memoryStorage.store(
            value: image, forKey: key.computedKey(with: identifier),
            expiration: options.memoryCacheExpiration)
        reduced.note(image, forKey: key, processorIdentifier: identifier)
        insertions.note()
    }

    func memoryHit(forKey key: String, options: KingfisherParsedOptionsInfo) -> MemoryHit? {
        imageInMemory(forKey: key, options: options).map {
            memoryHit($0, forKey: key, options: options)
        }
    }

    func memoryHit(
        _ image: KFCrossPlatformImage, forKey key: String, options: KingfisherParsedOptionsInfo
    ) -> MemoryHit {
        guard AnimationSource.isOutdated(image, options), AnimationSource(image, options: options) != nil
        else { return .ready(image) }
        let recreationKey = RecreatedImages.Key(
            key.computedKey(with: options.processor.identifier), image, options.imageCreatingOptions)
        let recreated = recreatedImages.image(recreationKey, of: image)
        return recreated.map { .recreated($0, of: image) } ?? .outdated(image)
    }

    /// Reads an image from disk, on this thread, for methods of the cache. Requests have stages for this.
    func imageOnDisk(
        _ key: String, options: KingfisherParsedOptionsInfo
    ) -> Result<KFCrossPlatformImage?, KingfisherError> {
        let computedKey = key.computedKey(with: options.processor.identifier)
        do {
            let entry = try diskStorage.entry(
                forKey: computedKey, forcedExtension: options.forcedExtension,
                extendingExpiration: options.diskCacheAccessExtendingExpiration)
            // The source may have the rest of a truncated file.
            guard let entry, !options.isPartial(entry.payload) else { return .success(nil) }
            let image = options.decodingContext.run {
                options.cacheSerializer.image(with: entry.payload, options: options)
            }
            // Even without `.httpCaching`, because a later request may have it.
            if let image {
                notes.note(tags: entry.tags, of: image, forKey: computedKey)
                if entry.records.arePrivate { notes.notePrivate(image, forKey: computedKey) }
                if let freshness = HTTPFreshness(entry.records) {
                    notes.note(freshness, of: image, forKey: computedKey)
                }
            }
            return .success(image)
        } catch let error as KingfisherError {
            return .failure(error)
        } catch {
            let url = diskStorage.cacheFileURL(forKey: computedKey, forcedExtension: options.forcedExtension)
            return .failure(.cacheError(reason: .cannotLoadDataFromDisk(url: url, error: error)))
        }
    }
}

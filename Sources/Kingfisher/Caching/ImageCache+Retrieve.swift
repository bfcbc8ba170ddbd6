import Foundation
import KingfisherConcurrency
import KingfisherStorage
import KingfisherTransport

extension ImageCache {
    /// The image in memory, for managers of caches that are no subclass.
    func imageInMemory(
        forKey key: String, options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        memoryStorage.value(
            forKey: key.computedKey(with: options.processorIdentifier),
            extendingExpiration: options.memoryCacheAccessExtendingExpiration)
    }

    /// Whether methods may be overridden, so that managers have to use those.
    var isSubclass: Bool { type(of: self) != ImageCache.self }

    /// Reads an image from disk and puts it into memory, on this thread.
    func promoteFromDisk(
        _ key: String, options: KingfisherParsedOptionsInfo
    ) -> Result<ImageCacheResult, KingfisherError> {
        imageOnDisk(key, options: options, isCurrent: nil).map { image in
            guard let image else { return .none }
            promote(image, forKey: key, options: options)
            return .disk(image)
        }
    }

    /// Puts an image that was found on disk into memory.
    func promote(_ image: KFCrossPlatformImage, forKey key: String, options: KingfisherParsedOptionsInfo) {
        guard !options.keepsEncoded else { return }
        memoryStorage.store(
            value: image, forKey: key.computedKey(with: options.processor.identifier),
            expiration: options.memoryCacheExpiration)
        arrivals.note()
    }

    /// What memory has of an image, on the caller's thread; nil when there is nothing.
    func memoryHit(forKey key: String, options: KingfisherParsedOptionsInfo) -> MemoryHit? {
        imageInMemory(forKey: key, options: options).map {
            memoryHit($0, forKey: key, options: options)
        }
    }

    /// An image of this cache as a request with `options` sees it.
    func memoryHit(
        _ image: KFCrossPlatformImage, forKey key: String, options: KingfisherParsedOptionsInfo
    ) -> MemoryHit {
        guard AnimationMaterial.isOutdated(image, options),
            let material = AnimationMaterial(image, options: options)
        else { return .ready(image) }
        let recreation = RecreatedImages.Key(
            key.computedKey(with: options.processor.identifier), image, options.imageCreatingOptions)
        let recreated = recreatedImages.image(recreation, of: image)
        return recreated.map { .recreated($0, of: image) } ?? .outdated(image, material)
    }

    /// Reads an image from disk, on this thread. `admits` sees the file and says whether it may be decoded
    /// now.
    func imageOnDisk(
        _ key: String, options: KingfisherParsedOptionsInfo, isCurrent: (@Sendable () -> Bool)?,
        admits: (Data) -> Bool = { _ in true }
    ) -> Result<KFCrossPlatformImage?, KingfisherError> {
        func isStale() -> Bool { isCurrent.map { !$0() } ?? false }
        guard !isStale() else { return .success(nil) }
        let computedKey = key.computedKey(with: options.processor.identifier)
        do {
            let entry = try diskStorage.entry(
                forKey: computedKey, forcedExtension: options.forcedExtension,
                extendingExpiration: options.diskCacheAccessExtendingExpiration)
            // Of a file that was cut the source may have the rest.
            guard let entry, !isStale(), !options.isPartial(entry.payload),
                admits(entry.payload)
            else { return .success(nil) }
            let image = options.decodingContext.run {
                options.cacheSerializer.image(with: entry.payload, options: options)
            }
            // Also for who does not ask: the next may.
            if let image {
                notes.note(tags: entry.tags, of: image, forKey: computedKey)
                if let freshness = HTTPFreshness(entry.records) {
                    notes.note(freshness, of: image, forKey: computedKey)
                }
            }
            return .success(isStale() ? nil : image)
        } catch let error as KingfisherError {
            return .failure(error)
        } catch {
            let url = diskStorage.cacheFileURL(forKey: computedKey, forcedExtension: options.forcedExtension)
            return .failure(.cacheError(reason: .cannotLoadDataFromDisk(url: url, error: error)))
        }
    }
}

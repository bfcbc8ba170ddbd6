import Foundation
import KingfisherStorage
import KingfisherTransport

extension ImageCache {
    /// Looks a picture up in memory, then on disk; a picture found on disk is put into memory first.
    ///
    /// Nothing found is a success with `.none`. A hit in memory is answered through `callbackQueue` before
    /// the call returns where that queue allows it. With `loadDiskFileSynchronously` the disk is, too.
    public func retrieveImage(
        forKey key: String, options: KingfisherParsedOptionsInfo,
        callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: (@Sendable (Result<ImageCacheResult, KingfisherError>) -> Void)?
    ) {
        guard let completionHandler else { return }
        if let image = retrieveImageInMemoryCache(forKey: key, options: options) {
            return callbackQueue.execute { completionHandler(.success(.memory(image))) }
        }
        if options.fromMemoryCacheOrRefresh {
            return callbackQueue.execute { completionHandler(.success(.none)) }
        }
        if options.readsDiskOnCallersThread {
            let result = promoteFromDisk(key, options: options)
            return callbackQueue.execute { completionHandler(result) }
        }
        lanes.run(key: key.computedKey(with: options.processor.identifier)) { [self] in
            let result = promoteFromDisk(key, options: options)
            lanes.deliver(on: callbackQueue) { completionHandler(result) }
        }
    }

    /// Looks a picture up in memory, then on disk; a picture found on disk is put into memory first.
    public func retrieveImage(
        forKey key: String, options: KingfisherOptionsInfo? = nil,
        callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: (@Sendable (Result<ImageCacheResult, KingfisherError>) -> Void)?
    ) {
        retrieveImage(
            forKey: key, options: KingfisherParsedOptionsInfo(options), callbackQueue: callbackQueue,
            completionHandler: completionHandler)
    }

    /// The picture in memory, on the caller's thread; nil when there is none.
    public func retrieveImageInMemoryCache(
        forKey key: String, options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        memoryStorage.value(
            forKey: key.computedKey(with: options.processorIdentifier),
            extendingExpiration: options.memoryCacheAccessExtendingExpiration)
    }

    /// The picture in memory, on the caller's thread; nil when there is none.
    public func retrieveImageInMemoryCache(
        forKey key: String, options: KingfisherOptionsInfo? = nil
    ) -> KFCrossPlatformImage? {
        retrieveImageInMemoryCache(forKey: key, options: KingfisherParsedOptionsInfo(options))
    }

    /// Looks a picture up on disk only, and leaves memory as it is.
    public func retrieveImageInDiskCache(
        forKey key: String, options: KingfisherOptionsInfo? = nil, callbackQueue: CallbackQueue = .untouch,
        completionHandler: @escaping @Sendable (Result<KFCrossPlatformImage?, KingfisherError>) -> Void
    ) {
        let options = KingfisherParsedOptionsInfo(options)
        if options.readsDiskOnCallersThread {
            let result = imageOnDisk(key, options: options, isCurrent: nil)
            return callbackQueue.execute { completionHandler(result) }
        }
        lanes.run(key: key.computedKey(with: options.processor.identifier)) { [self] in
            let result = imageOnDisk(key, options: options, isCurrent: nil)
            lanes.deliver(on: callbackQueue) { completionHandler(result) }
        }
    }

    /// Reads a picture from disk and puts it into memory, on this thread.
    private func promoteFromDisk(
        _ key: String, options: KingfisherParsedOptionsInfo
    ) -> Result<ImageCacheResult, KingfisherError> {
        imageOnDisk(key, options: options, isCurrent: nil).map { image in
            guard let image else { return .none }
            promote(image, forKey: key, options: options)
            return .disk(image)
        }
    }

    /// Puts a picture that was found on disk into memory.
    func promote(_ image: KFCrossPlatformImage, forKey key: String, options: KingfisherParsedOptionsInfo) {
        memoryStorage.store(
            value: image, forKey: key.computedKey(with: options.processor.identifier),
            expiration: options.memoryCacheExpiration)
    }

    /// What memory has of a picture, on the caller's thread; nil when there is nothing.
    func memoryHit(forKey key: String, options: KingfisherParsedOptionsInfo) -> MemoryHit? {
        retrieveImageInMemoryCache(forKey: key, options: options).map {
            memoryHit($0, forKey: key, options: options)
        }
    }

    /// A picture of this cache as a request with `options` sees it.
    func memoryHit(
        _ image: KFCrossPlatformImage, forKey key: String, options: KingfisherParsedOptionsInfo
    ) -> MemoryHit {
        guard AnimationMaterial.isOutdated(image, options),
            let material = AnimationMaterial(image, options: options)
        else { return .ready(image) }
        let recreation = RecreatedPictures.Key(
            key.computedKey(with: options.processor.identifier), image, options.imageCreatingOptions)
        let recreated = recreatedPictures.picture(recreation, of: image)
        return recreated.map { .recreated($0, of: image) } ?? .outdated(image, material)
    }

    func imageOnDisk(
        _ key: String, options: KingfisherParsedOptionsInfo, isCurrent: (@Sendable () -> Bool)?
    ) -> Result<KFCrossPlatformImage?, KingfisherError> {
        func isStale() -> Bool { isCurrent.map { !$0() } ?? false }
        guard !isStale() else { return .success(nil) }
        let computedKey = key.computedKey(with: options.processor.identifier)
        do {
            let entry = try diskStorage.entry(
                forKey: computedKey, forcedExtension: options.forcedExtension,
                extendingExpiration: options.diskCacheAccessExtendingExpiration)
            // Of a file that was cut the source may have the rest.
            guard let entry, !isStale(), !options.isPartial(entry.payload) else { return .success(nil) }
            let image = options.cacheSerializer.image(with: entry.payload, options: options)
            // Also for who does not ask: the next may.
            if let image, let freshness = HTTPFreshness(entry.records) {
                ledger.note(freshness, of: image, forKey: computedKey)
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

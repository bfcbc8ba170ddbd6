public import Foundation

extension ImageCache {
    /// Keeps `image` in memory and, unless `toDisk` is false, on disk; throws when the write fails.
    public func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String,
        options: KingfisherParsedOptionsInfo, toDisk: Bool = true
    ) async throws {
        var options = options
        options.callbackQueue = .untouch
        let unqueued = options
        try await diskResult { completion in
            store(
                image, original: original, forKey: key, options: unqueued, toDisk: toDisk,
                completionHandler: completion)
        }
    }

    /// Keeps `image` in memory and, unless `toDisk` is false, on disk; throws when the write fails.
    public func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String,
        processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        cacheSerializer serializer: any CacheSerializer = DefaultCacheSerializer.default, toDisk: Bool = true
    ) async throws {
        try await diskResult { completion in
            store(
                image, original: original, forKey: key, processorIdentifier: identifier,
                forcedExtension: forcedExtension, cacheSerializer: serializer, toDisk: toDisk,
                callbackQueue: .untouch, completionHandler: completion)
        }
    }

    /// Keeps `data` on disk as they are; throws when the write fails.
    public func storeToDisk(
        _ data: Data, forKey key: String, processorIdentifier identifier: String = "",
        forcedExtension: String? = nil, expiration: StorageExpiration? = nil
    ) async throws {
        try await diskResult { completion in
            storeToDisk(
                data, forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension,
                expiration: expiration, callbackQueue: .untouch, completionHandler: completion)
        }
    }

    /// Removes an image; throws when the file cannot be removed.
    public func removeImage(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        fromMemory: Bool = true, fromDisk: Bool = true
    ) async throws {
        try await withCheckedThrowingContinuation { continuation in
            remove(
                forComputedKey: key.computedKey(with: identifier), forcedExtension: forcedExtension,
                fromMemory: fromMemory, fromDisk: fromDisk, callbackQueue: .untouch
            ) { continuation.resume(with: $0) }
        }
    }

    /// Looks an image up in memory, then on disk; nothing found is `.none`, not an error.
    public func retrieveImage(
        forKey key: String, options: KingfisherParsedOptionsInfo
    ) async throws -> ImageCacheResult {
        try await withCheckedThrowingContinuation { continuation in
            retrieveImage(forKey: key, options: options, callbackQueue: .untouch) {
                continuation.resume(with: $0)
            }
        }
    }

    /// Looks an image up in memory, then on disk; nothing found is `.none`, not an error.
    public func retrieveImage(
        forKey key: String, options: KingfisherOptionsInfo? = nil
    ) async throws -> ImageCacheResult {
        try await retrieveImage(forKey: key, options: KingfisherParsedOptionsInfo(options))
    }

    /// Looks an image up on disk only.
    public func retrieveImageInDiskCache(
        forKey key: String, options: KingfisherOptionsInfo? = nil
    ) async throws -> KFCrossPlatformImage? {
        try await withCheckedThrowingContinuation { continuation in
            retrieveImageInDiskCache(forKey: key, options: options, callbackQueue: .untouch) {
                continuation.resume(with: $0)
            }
        }
    }

    private func diskResult(
        _ start: (@escaping @Sendable (CacheStoreResult) -> Void) -> Void
    ) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            start { continuation.resume(with: $0.diskCacheResult.mapError { $0 }) }
        }
    }
}

public import Foundation

extension ImageCache {
    /// Stores `image` in memory and, unless `toDisk` is false, on disk. Throws if the write fails.
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

    /// Stores `image` in memory and, unless `toDisk` is false, on disk. Throws if the write fails.
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

    /// Stores `data` on disk unchanged. Throws if the write fails.
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

    /// Removes an image. Throws if the file cannot be removed.
    public func removeImage(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        fromMemory: Bool = true, fromDisk: Bool = true
    ) async throws {
        if fromMemory { forgetFailure(forKey: key, processorIdentifier: identifier) }
        try await withCheckedThrowingContinuation { continuation in
            remove(
                forComputedKey: key.computedKey(with: identifier), forcedExtension: forcedExtension,
                interruptedURL: key, fromMemory: fromMemory, fromDisk: fromDisk, callbackQueue: .untouch
            ) { continuation.resume(with: $0) }
        }
    }

    /// Looks up an image in memory, then on disk. Returns `.none` if no image is found.
    public func retrieveImage(
        forKey key: String, options: KingfisherParsedOptionsInfo
    ) async throws -> ImageCacheResult {
        try await withCheckedThrowingContinuation { continuation in
            retrieveImage(forKey: key, options: options, callbackQueue: .untouch) {
                continuation.resume(with: $0)
            }
        }
    }

    /// Looks up an image in memory, then on disk. Returns `.none` if no image is found.
    public func retrieveImage(
        forKey key: String, options: KingfisherOptionsInfo? = nil
    ) async throws -> ImageCacheResult {
        try await retrieveImage(forKey: key, options: KingfisherParsedOptionsInfo(options))
    }

    /// Looks up an image on disk only.
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

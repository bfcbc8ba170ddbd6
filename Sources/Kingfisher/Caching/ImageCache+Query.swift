public import Foundation

extension ImageCache {
    /// Where the picture is; memory is asked first. Reads the disk on the caller's thread; extends nothing.
    public func imageCachedType(
        forKey key: String, processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> CacheType {
        let computedKey = key.computedKey(with: identifier)
        if memoryStorage.isCached(forKey: computedKey) { return .memory }
        if diskStorage.isCached(forKey: computedKey, forcedExtension: forcedExtension) { return .disk }
        return .none
    }

    /// Where the picture is; memory is answered at once, the disk is read off the caller's thread.
    public func imageCachedTypeAsync(
        forKey key: String, processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil, callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: @escaping @Sendable (CacheType) -> Void
    ) {
        let computedKey = key.computedKey(with: identifier)
        if memoryStorage.isCached(forKey: computedKey) {
            return callbackQueue.execute { completionHandler(.memory) }
        }
        lanes.run(key: computedKey) { [self] in
            let onDisk = diskStorage.isCached(forKey: computedKey, forcedExtension: forcedExtension)
            lanes.deliver(on: callbackQueue) { completionHandler(onDisk ? .disk : .none) }
        }
    }

    /// Where the picture is; the disk is read off the caller's thread.
    public func imageCachedTypeAsync(
        forKey key: String, processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) async -> CacheType {
        await withCheckedContinuation { continuation in
            imageCachedTypeAsync(
                forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension,
                callbackQueue: .untouch
            ) { continuation.resume(returning: $0) }
        }
    }

    /// Whether the picture is in memory or on disk. Reads the disk on the caller's thread.
    public func isCached(
        forKey key: String, processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> Bool {
        imageCachedType(forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension).cached
    }

    /// The name of the picture's file.
    public func hash(
        forKey key: String, processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> String {
        fileURL(key, identifier, forcedExtension).lastPathComponent
    }

    /// The path of the picture's file, whether it is there or not.
    public func cachePath(
        forKey key: String, processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> String {
        fileURL(key, identifier, forcedExtension).path
    }

    /// The picture's file; nil when it is not there. Reads the disk on the caller's thread.
    public func cacheFileURLIfOnDisk(
        forKey key: String, processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> URL? {
        let isOnDisk = diskStorage.isCached(
            forKey: key.computedKey(with: identifier), forcedExtension: forcedExtension)
        return isOnDisk ? fileURL(key, identifier, forcedExtension) : nil
    }

    /// What the disk holds, and how its use went since the cache was opened; hits and misses are those of
    /// this process.
    ///
    /// Touches no file, so it is free to ask on any thread, also again and again. `diskStorageSize` looks at
    /// the folder instead.
    public func diskCacheStatistics() -> DiskCacheStatistics {
        diskStorage.statistics
    }

    /// Bytes of all pictures in memory; one under two keys counts twice.
    public var memoryStorageCacheCost: Int { memoryStorage.totalCacheCost() }

    /// Adds up the files' bytes off the caller's thread; completes on the main queue.
    public func calculateDiskStorageSize(
        completion handler: @escaping @Sendable (Result<UInt, KingfisherError>) -> Void
    ) {
        measureDisk { result in CallbackQueue.mainAsync.execute { handler(result) } }
    }

    /// Bytes of all files.
    public var diskStorageSize: UInt {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                measureDisk { continuation.resume(with: $0) }
            }
        }
    }

    private func measureDisk(_ handler: @escaping @Sendable (Result<UInt, KingfisherError>) -> Void) {
        lanes.survey { [self] in
            do {
                handler(.success(try diskStorage.totalSize()))
            } catch let error as KingfisherError {
                handler(.failure(error))
            } catch {
                handler(
                    .failure(
                        .cacheError(reason: .fileEnumeratorCreationFailed(url: diskStorage.directoryURL))))
            }
        }
    }

    private func fileURL(_ key: String, _ identifier: String, _ forcedExtension: String?) -> URL {
        diskStorage.cacheFileURL(
            forKey: key.computedKey(with: identifier), forcedExtension: forcedExtension)
    }
}

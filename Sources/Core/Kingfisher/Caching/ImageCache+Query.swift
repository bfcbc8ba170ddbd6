import Foundation
import KingfisherConcurrency

extension ImageCache {
    /// Determines which cache has the image. The disk is read on a queue of the cache.
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

    /// Whether the image is in memory or on disk. Reads the disk on the caller's thread.
    public func isCached(
        forKey key: String, processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> Bool {
        imageCachedType(forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension).cached
    }

    /// The contents and use of the disk cache since it was opened. Only hits and misses of this process
    /// count.
    ///
    /// Does no I/O, so it can be called often and on any thread. `diskStorageSize` reads the folder instead.
    public func diskCacheStatistics() -> DiskCacheStatistics {
        diskStorage.statistics
    }

    /// The number of bytes of all images in memory. An image with two keys counts twice.
    public var memoryStorageCacheCost: Int { memoryStorage.totalCacheCost() }

    /// The number of bytes of all files.
    public var diskStorageSize: UInt {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                measureDisk { continuation.resume(with: $0) }
            }
        }
    }

    func measureDisk(_ handler: @escaping @Sendable (Result<UInt, KingfisherError>) -> Void) {
        diskQueue.survey { [self] in
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

    func fileURL(_ key: String, _ identifier: String, _ forcedExtension: String?) -> URL {
        diskStorage.cacheFileURL(
            forKey: key.computedKey(with: identifier), forcedExtension: forcedExtension)
    }
}

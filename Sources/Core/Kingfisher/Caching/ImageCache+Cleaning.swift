public import Foundation

extension Notification.Name {
    /// Posted on the main thread after a disk cache has removed expired files, or files above its size limit.
    /// The notification's object is the cache.
    ///
    /// With Foundation of Swift 6.2.3 on Linux, an observer for one object gets no notification: observe all
    /// objects (`object: nil`) and compare.
    public static let KingfisherDidCleanDiskCache = Notification.Name(
        "com.onevcat.Kingfisher.KingfisherDidCleanDiskCache")
}

/// The user-info key of the removed file names, of type `[String]`.
public let KingfisherDiskCacheCleanedHashKey = "com.onevcat.Kingfisher.cleanedHash"

extension ImageCache {
    /// Removes all images, from memory synchronously and from disk asynchronously; completes on the main
    /// queue.
    public func clearCache(completion handler: (@Sendable () -> Void)? = nil) {
        clearMemoryCache()
        clearDiskCache(completion: handler)
    }

    /// Removes all images from memory, and the failures that requests remember (``NegativeCaching``).
    public func clearMemoryCache() {
        failures.withLock { $0.removeAll() }
        memoryStorage.removeAll()
        encodedStorage.removeAll()
    }

    /// Removes expired files in the background. For source compatibility with apps that enter the background.
    public func backgroundCleanExpiredDiskCache() {
        cleanDisk {}
    }

    /// Removes all images from memory and disk.
    public func clearCache() async {
        clearMemoryCache()
        await clearDiskCache()
    }

    /// Removes all files. Errors are ignored.
    public func clearDiskCache() async {
        await withCheckedContinuation { continuation in clearDisk { continuation.resume() } }
    }

    /// Removes expired images from memory and disk.
    public func cleanExpiredCache() async {
        cleanExpiredMemoryCache()
        await cleanExpiredDiskCache()
    }

    /// Removes expired files, and files above the size limit.
    public func cleanExpiredDiskCache() async {
        await withCheckedContinuation { continuation in cleanDisk { continuation.resume() } }
    }

    func clearDisk(_ completion: @escaping @Sendable () -> Void) {
        traffic.removeAll { [self] in
            try? diskStorage.removeAll()
            encodedStorage.removeAll()
            completion()
        }
    }

    func cleanDisk(_ completion: @escaping @Sendable () -> Void) {
        traffic.sweep { [self] in
            removeSurplus()
            completion()
        }
    }

    private func removeSurplus() {
        let names = diskStorage.removeSurplus()
        guard !names.isEmpty else { return }
        DispatchQueue.main.async { [self] in
            NotificationCenter.default.post(
                name: .KingfisherDidCleanDiskCache, object: self,
                userInfo: [KingfisherDiskCacheCleanedHashKey: names])
        }
    }
}

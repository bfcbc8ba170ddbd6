public import Foundation

extension Notification.Name {
    /// Posted on the main thread after expired or surplus files were removed from a disk cache, which is the
    /// notification's object.
    public static let KingfisherDidCleanDiskCache = Notification.Name(
        "com.onevcat.Kingfisher.KingfisherDidCleanDiskCache")
}

/// The user-info key of the removed file names, `[String]`.
public let KingfisherDiskCacheCleanedHashKey = "com.onevcat.Kingfisher.cleanedHash"

extension ImageCache {
    /// Empties memory at once and the disk soon after; completes on the main queue.
    public func clearCache(completion handler: (@Sendable () -> Void)? = nil) {
        clearMemoryCache()
        clearDiskCache(completion: handler)
    }

    /// Empties memory.
    public func clearMemoryCache() {
        memoryStorage.removeAll()
        encodedStorage.removeAll()
    }

    /// Removes expired files; for a program that goes to the background.
    public func backgroundCleanExpiredDiskCache() {
        cleanDisk {}
    }

    /// Empties memory and the disk.
    public func clearCache() async {
        clearMemoryCache()
        await clearDiskCache()
    }

    /// Empties the disk. Errors are ignored.
    public func clearDiskCache() async {
        await withCheckedContinuation { continuation in clearDisk { continuation.resume() } }
    }

    /// Removes what has expired.
    public func cleanExpiredCache() async {
        cleanExpiredMemoryCache()
        await cleanExpiredDiskCache()
    }

    /// Removes expired and surplus files.
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

import Foundation
import KingfisherConcurrency

/// A live photo's files on disk. They are never in memory: what plays them reads files.
extension ImageCache {
    private static var livePhotoIdentifier: String { LivePhotoImageProcessor().identifier }

    /// Where the file of `resource` is; nil when it is not on disk.
    ///
    /// Asked after what is being written under its key, off the caller's thread.
    func file(of resource: LivePhotoResource) async -> URL? {
        let key = resource.dataSource.cacheKey
        return await withCheckedContinuation { continuation in
            diskQueue.run(key: key.computedKey(with: Self.livePhotoIdentifier)) { [self] in
                let urls = resource.referenceFileType.possibleExtensions.lazy.compactMap { [self] in
                    cacheFileURLIfOnDisk(
                        forKey: key, processorIdentifier: Self.livePhotoIdentifier, forcedExtension: $0)
                }
                continuation.resume(returning: urls.first)
            }
        }
    }

    /// Keeps the bytes of `resource` on disk as they are.
    func store(_ data: Data, of resource: LivePhotoResource, expiration: StorageExpiration?) async throws {
        try await storeToDisk(
            data, forKey: resource.dataSource.cacheKey, processorIdentifier: Self.livePhotoIdentifier,
            forcedExtension: resource.referenceFileType.storedExtension(of: data), expiration: expiration)
    }
}

import Foundation
import KingfisherConcurrency

/// Stores the files of live photos on disk only, because players read files.
extension ImageCache {
    private static var livePhotoIdentifier: String { LivePhotoImageProcessor().identifier }

    /// The file of `resource`; nil if it is not on disk.
    ///
    /// The lookup runs off the caller's thread, after pending writes of its key.
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

    func store(_ data: Data, of resource: LivePhotoResource, expiration: StorageExpiration?) async throws {
        try await storeToDisk(
            data, forKey: resource.dataSource.cacheKey, processorIdentifier: Self.livePhotoIdentifier,
            forcedExtension: resource.referenceFileType.storedExtension(of: data), expiration: expiration)
    }
}

import Foundation
import KingfisherConcurrency
import KingfisherTransport

/// Stores the files of live photos on disk only, because players read files.
extension ImageCache {
    private static var livePhotoIdentifier: String { LivePhotoImageProcessor().identifier }

    /// The file of `resource`; nil if it is not on disk, or not usable by its freshness.
    ///
    /// The lookup runs off the caller's thread, after pending writes of its key.
    func file(
        of resource: LivePhotoResource,
        where isUsable: @escaping @Sendable (HTTPFreshness) -> Bool = { _ in true }
    ) async -> URL? {
        let key = resource.dataSource.cacheKey
        return await withCheckedContinuation { continuation in
            diskQueue.run(key: key.computedKey(with: Self.livePhotoIdentifier)) { [self] in
                let urls = resource.referenceFileType.possibleExtensions.lazy.compactMap { [self] in
                    let isUsable = livePhotoFreshness(forKey: key, forcedExtension: $0).map(isUsable) ?? true
                    return isUsable
                        ? cacheFileURLIfOnDisk(
                            forKey: key, processorIdentifier: Self.livePhotoIdentifier, forcedExtension: $0)
                        : nil
                }
                continuation.resume(returning: urls.first)
            }
        }
    }

    private func livePhotoFreshness(forKey key: String, forcedExtension: String) -> HTTPFreshness? {
        let entry = try? diskStorage.openEntry(
            forKey: key.computedKey(with: Self.livePhotoIdentifier), forcedExtension: forcedExtension,
            extendingExpiration: .none)
        return entry.flatMap { HTTPFreshness($0.records) }
    }

    /// - Parameter version: The freshness of a local file, read before its bytes.
    func store(
        _ data: Data, of resource: LivePhotoResource, expiration: StorageExpiration?, version: HTTPFreshness?
    ) async throws {
        let key = resource.dataSource.cacheKey
        try await HandedVersion.hand(version, forComputedKey: key.computedKey(with: Self.livePhotoIdentifier))
        {
            try await storeToDisk(
                data, forKey: key, processorIdentifier: Self.livePhotoIdentifier,
                forcedExtension: resource.referenceFileType.storedExtension(of: data), expiration: expiration)
        }
    }
}

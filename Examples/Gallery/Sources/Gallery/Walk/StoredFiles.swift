import Kingfisher

/// The disk cache's copies of files that no processor has changed.
enum StoredFiles {
    /// Loads the images whose formats are stored as they came, and compares the cache's files with the
    /// server's. Returns what was found, in words; throws where a byte differs.
    @MainActor static func compare(with server: PhotoServer) async throws -> String {
        let manager = KingfisherManager.shared
        let photos = Photo.all.filter { $0.format != nil } + Photo.animations
        let urls = photos.map { server.directURL(of: $0, copy: "stored") }
        for url in urls { _ = try await manager.retrieveImage(with: url) }
        // The size is known once all that was stored before has been written.
        _ = try await manager.cache.diskStorageSize
        var total = 0
        for (photo, url) in zip(photos, urls) {
            let stored = URL(filePath: manager.cache.cachePath(forKey: url.cacheKey))
            let bytes = try Data(contentsOf: stored)
            guard try bytes == server.bytes(of: photo) else {
                throw Failure("\(photo.file): the disk cache has other bytes than the server")
            }
            total += bytes.count
        }
        let names = photos.map(\.file).joined(separator: ", ")
        return "on disk as the server sent them, \(total) bytes: \(names)"
    }
}

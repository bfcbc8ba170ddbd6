import Kingfisher

enum StoredFiles {
    /// Loads images whose formats are stored unchanged, and compares the cached files with the server's.
    /// Returns a summary; throws if a byte differs.
    @MainActor static func compare(with server: PhotoServer) async throws -> String {
        let manager = KingfisherManager.shared
        let photos = Photo.all.filter { $0.format != nil } + Photo.animations
        let urls = photos.map { server.directURL(of: $0, copy: "stored") }
        for url in urls { _ = try await manager.retrieveImage(with: url) }
        // The size is available only after pending writes have completed.
        _ = try await manager.cache.diskStorageSize
        var total = 0
        for (photo, url) in zip(photos, urls) {
            let stored = URL(filePath: manager.cache.cachePath(forKey: url.cacheKey))
            let bytes = try Data(contentsOf: stored)
            guard try bytes == server.bytes(of: photo) else {
                throw Failure("\(photo.file): the file in the disk cache differs from the server's")
            }
            total += bytes.count
        }
        let names = photos.map(\.file).joined(separator: ", ")
        return "stored on disk unchanged, \(total) bytes: \(names)"
    }
}

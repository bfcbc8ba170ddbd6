import Foundation
import Kingfisher

/// Our storage with default settings, but without a size limit.
struct KingfisherFiles: FileCache {
    private let storage: DiskStorage.Backend<Data>

    init(folder: URL) throws {
        storage = try DiskStorage.Backend(
            config: DiskStorage.Config(name: "benchmark", sizeLimit: 0, directory: folder))
    }

    func put(_ data: Data, forKey key: String) throws { try storage.store(value: data, forKey: key) }

    func get(_ key: String) throws -> Data? { try storage.value(forKey: key) }

    /// Delayed access times are written every second.
    func settle() { Thread.sleep(forTimeInterval: 1.5) }

    func contains(_ key: String) -> Bool { storage.isCached(forKey: key) }

    func url(forKey key: String) -> URL { storage.cacheFileURL(forKey: key) }

    func removeExceeding(limit: Int) throws -> Int {
        var config = storage.config
        config.sizeLimit = UInt(limit)
        storage.config = config
        return try storage.removeSizeExceededValues().count
    }
}

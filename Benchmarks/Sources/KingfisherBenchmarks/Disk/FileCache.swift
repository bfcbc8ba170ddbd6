import Foundation

/// A disk cache that is measured.
protocol FileCache {
    /// Opens the cache in a folder, which may exist.
    init(folder: URL) throws

    func put(_ data: Data, forKey key: String) throws
    func get(_ key: String) throws -> Data?

    /// Returns after all delayed writes of gets.
    func settle()

    func contains(_ key: String) throws -> Bool
    func url(forKey key: String) throws -> URL

    /// If the files have `limit` bytes or more, removes the least recently used down to half of the limit.
    /// Returns the number of removed files.
    func removeExceeding(limit: Int) throws -> Int
}

/// Defaults for caches that support only reads and writes.
extension FileCache {
    func settle() {}

    func contains(_ key: String) throws -> Bool {
        throw BenchmarkError("this cache does not support lookups")
    }

    func url(forKey key: String) throws -> URL {
        throw BenchmarkError("this cache does not provide file paths")
    }

    func removeExceeding(limit: Int) throws -> Int {
        throw BenchmarkError("this cache does not support eviction")
    }
}

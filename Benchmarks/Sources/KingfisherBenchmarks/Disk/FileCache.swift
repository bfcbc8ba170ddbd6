import Foundation

/// A disk cache that is measured.
protocol FileCache {
    /// Opens the cache in a folder of its own, which may be there already.
    init(folder: URL) throws

    func put(_ data: Data, forKey key: String) throws
    func get(_ key: String) throws -> Data?

    /// Returns when everything that gets leave for later is done.
    func settle()

    func contains(_ key: String) throws -> Bool
    func url(forKey key: String) throws -> URL

    /// Where the files take `limit` bytes or more, removes the least recently used down to half of that, and
    /// says how many.
    func removeExceeding(limit: Int) throws -> Int
}

/// What a cache has that is only read and written.
extension FileCache {
    func settle() {}

    func contains(_ key: String) throws -> Bool {
        throw BenchmarkError("this cache is not asked for existence")
    }

    func url(forKey key: String) throws -> URL {
        throw BenchmarkError("this cache does not tell where files are")
    }

    func removeExceeding(limit: Int) throws -> Int {
        throw BenchmarkError("this cache evicts nothing")
    }
}

import Foundation
import Glibc

/// The jobs of the rows of disk caches.
enum DiskWork {
    /// `engine` is our storage, the port or bare files; `arguments` are a job, a folder and a file of sizes.
    static func make(_ engine: String, _ arguments: ArraySlice<String>) throws -> any Workload {
        guard arguments.count == 3, let job = arguments.first, let sizes = arguments.last else {
            throw BenchmarkError("disk ENGINE JOB FOLDER SIZES")
        }
        let folder = URL(fileURLWithPath: arguments[arguments.startIndex + 1], isDirectory: true)
        let entries = try DiskEntries(sizes: sizes)
        switch engine {
        case "kingfisher": return try make(job, folder, entries) { try KingfisherFiles(folder: $0) }
        case "port": return try make(job, folder, entries) { try FoundationPort(folder: $0) }
        case "bare":
            let sizes = Dictionary(uniqueKeysWithValues: zip(entries.keys, entries.sizes))
            return try make(job, folder, entries) { try BareFiles(folder: $0, sizes: sizes) }
        default: throw BenchmarkError("unknown engine \(engine)")
        }
    }

    private static func make(
        _ job: String, _ folder: URL, _ entries: DiskEntries, _ open: @escaping (URL) throws -> any FileCache
    ) throws -> any Workload {
        switch job {
        case "put": return DiskPut(folder: folder, entries: entries, open: open)
        case "evict": return try DiskEvict(cache: open(folder))
        default: break
        }
        let cache = try open(folder)
        for (number, key) in entries.keys.enumerated() { try cache.put(entries.data(number), forKey: key) }
        // Runs must not include the time to write earlier data.
        sync()
        switch job {
        case "get": return DiskGet(cache: cache, entries: entries)
        case "hit":
            return DiskExists(
                cache: cache, keys: entries.random(entries.keys.count).map { entries.keys[$0] },
                expected: true)
        case "miss":
            let keys = entries.keys.indices.map { DiskEntries.key($0 + entries.keys.count) }
            return DiskExists(cache: cache, keys: keys, expected: false)
        default: throw BenchmarkError("unknown job \(job)")
        }
    }
}

/// Stores every entry once, into a new cache.
///
/// The caches of earlier runs are not removed, because ext4 without a journal creates files slowly for
/// minutes after others were removed.
final class DiskPut: Workload {
    private let folder: URL
    private let entries: DiskEntries
    private let open: (URL) throws -> any FileCache
    private var cache: (any FileCache)?
    private var count = 0

    init(folder: URL, entries: DiskEntries, open: @escaping (URL) throws -> any FileCache) {
        (self.folder, self.entries, self.open) = (folder, entries, open)
    }

    func prepare() throws {
        sync()
        count += 1
        cache = try open(folder.appendingPathComponent(String(count), isDirectory: true))
    }

    func run() throws -> Int {
        guard let cache else { throw BenchmarkError("not prepared") }
        for (number, key) in entries.keys.enumerated() { try cache.put(entries.data(number), forKey: key) }
        return entries.keys.count
    }
}

/// Random gets, five times the number of entries, including the delayed writes of access times.
struct DiskGet: Workload {
    private let cache: any FileCache
    private let keys: [String]
    private let expected: Int

    init(cache: any FileCache, entries: DiskEntries) {
        self.cache = cache
        let requested = entries.random(5 * entries.keys.count)
        keys = requested.map { entries.keys[$0] }
        expected = requested.reduce(0) { $0 + entries.sizes[$1] }
    }

    func run() throws -> Int {
        var found = 0
        for key in keys { found += try cache.get(key)?.count ?? 0 }
        cache.settle()
        guard found == expected else { throw BenchmarkError("found \(found) bytes instead of \(expected)") }
        return found
    }
}

/// Checks every key once.
struct DiskExists: Workload {
    let cache: any FileCache
    let keys: [String]
    let expected: Bool

    func run() throws -> Int {
        var right = 0
        for key in keys where try cache.contains(key) == expected { right += 1 }
        guard right == keys.count else {
            throw BenchmarkError("\(right) correct results instead of \(keys.count)")
        }
        return right
    }
}

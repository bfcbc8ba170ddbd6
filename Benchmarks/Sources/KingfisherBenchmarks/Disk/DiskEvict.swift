import CSystem
import Foundation
import Glibc

/// Removes the least recently used tenth of 100,000 small files.
///
/// This tenth has as many bytes as all other files, so halving the total removes exactly these files.
struct DiskEvict: Workload {
    private static let count = 100_000
    private static let oldCount = count / 10
    private static let size = 1_000
    private static let oldSize = size * (count - oldCount) / oldCount
    private static let total = size * (count - oldCount) + oldSize * oldCount

    private let cache: any FileCache
    private let paths: [String]

    init(cache: any FileCache) throws {
        self.cache = cache
        paths = try (0..<Self.count).map { try cache.url(forKey: DiskEntries.key($0)).path }
    }

    /// Creates missing files, and sets the times of all files, the oldest first.
    func prepare() throws {
        let now = Int(Date().timeIntervalSince1970)
        let block = [UInt8](repeating: 7, count: Self.oldSize)
        for (number, path) in paths.enumerated() {
            // The port uses the time of an inode's last change as last access. The kernel sets it in steps of
            // some milliseconds.
            if number == Self.oldCount { usleep(100_000) }
            let size = number < Self.oldCount ? Self.oldSize : Self.size
            try place(path, block[..<size], accessed: now - Self.count + number, expires: now + 7 * 86_400)
        }
        sync()
    }

    func run() throws -> Int {
        let removed = try cache.removeExceeding(limit: Self.total)
        guard removed == Self.oldCount else {
            throw BenchmarkError("removed \(removed) files instead of \(Self.oldCount)")
        }
        guard access(paths[Self.oldCount - 1], F_OK) != 0, access(paths[Self.oldCount], F_OK) == 0 else {
            throw BenchmarkError("removed files that are not the oldest")
        }
        return removed
    }

    private func place(_ path: String, _ content: ArraySlice<UInt8>, accessed: Int, expires: Int) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw BenchmarkError("\(path): \(String(cString: strerror(errno)))") }
        defer { close(file) }
        let isNew = lseek(file, 0, SEEK_END) == 0
        guard !isNew || content.withUnsafeBytes({ write(file, $0.baseAddress, $0.count) }) == content.count,
            kf_set_times(file, Int64(accessed), Int64(expires)) == 0
        else { throw BenchmarkError("\(path): \(String(cString: strerror(errno)))") }
    }
}

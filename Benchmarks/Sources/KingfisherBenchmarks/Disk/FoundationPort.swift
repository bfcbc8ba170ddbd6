import CSystem
import Foundation
import Synchronization

/// The design of Kingfisher for Apple platforms as a direct port to Linux, based on its documentation and
/// behaviour: all access through Foundation, the expiration in the modification date, the last access in the
/// creation date, no checksum.
///
/// Names are hashed by libcrypto and formatted byte by byte with `String(format:)`, as in the original.
/// Foundation on Linux does not set creation dates, and reads the time of the inode's last change instead.
/// The same call sets the modification date, so the order of accesses is correct by chance. Writes are not
/// atomic, as by default in the original; Foundation on Linux calls fsync after each write.
final class FoundationPort: FileCache, Sendable {
    private static let lifetime: TimeInterval = 7 * 86_400

    private let folder: URL
    /// Extends expirations after a get has returned.
    private let attributes = DispatchQueue(label: "port.attributes")
    /// Names of files that may exist; all other names are misses without disk access.
    private let knownNames: Mutex<Set<String>>

    init(folder: URL) throws {
        self.folder = folder
        let files = FileManager.default
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        knownNames = Mutex(Set(try files.contentsOfDirectory(atPath: folder.path)))
    }

    func put(_ data: Data, forKey key: String) throws {
        let url = url(forKey: key)
        try data.write(to: url)
        let now = Date()
        try setDates(of: url, accessed: now, expires: now.addingTimeInterval(Self.lifetime))
        knownNames.withLock { _ = $0.insert(url.lastPathComponent) }
    }

    func get(_ key: String) throws -> Data? {
        let url = url(forKey: key)
        guard let dates = try unexpired(url) else { return nil }
        let data = try Data(contentsOf: url)
        attributes.async { [self] in
            let now = Date()
            let lifetime = dates.expires.timeIntervalSince(dates.accessed)
            // If the extension fails, the file expires earlier.
            try? setDates(of: url, accessed: now, expires: now.addingTimeInterval(lifetime))
        }
        return data
    }

    func settle() { attributes.sync {} }

    func contains(_ key: String) throws -> Bool { try unexpired(url(forKey: key)) != nil }

    func url(forKey key: String) -> URL {
        folder.appendingPathComponent(Self.name(forKey: key), isDirectory: false)
    }

    func removeExceeding(limit: Int) throws -> Int {
        var total = try contents([.fileSizeKey]).reduce(0) {
            $0 + (try $1.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0)
        }
        guard total >= limit else { return 0 }
        let keys: Set<URLResourceKey> = [.isDirectoryKey, .creationDateKey, .fileSizeKey]
        var entries: [(url: URL, accessed: Date, size: Int)] = []
        for url in try contents(Array(keys)) {
            let values = try url.resourceValues(forKeys: keys)
            guard values.isDirectory != true else { continue }
            entries.append((url, values.creationDate ?? .distantPast, values.fileSize ?? 0))
        }
        entries.sort { $0.accessed > $1.accessed }
        var removed = 0
        while total > limit / 2, let oldest = entries.popLast() {
            try files.removeItem(at: oldest.url)
            total -= oldest.size
            removed += 1
        }
        return removed
    }

    private var files: FileManager { .default }

    private func contents(_ keys: [URLResourceKey]) throws -> [URL] {
        let found = files.enumerator(
            at: folder, includingPropertiesForKeys: keys, options: .skipsHiddenFiles)
        guard let urls = found?.allObjects as? [URL] else { throw BenchmarkError("cannot list \(folder)") }
        return urls
    }

    /// The dates of a file that exists and has not expired.
    private func unexpired(_ url: URL) throws -> (accessed: Date, expires: Date)? {
        guard knownNames.withLock({ $0.contains(url.lastPathComponent) }),
            files.fileExists(atPath: url.path)
        else { return nil }
        let values = try url.resourceValues(forKeys: [.contentModificationDateKey, .creationDateKey])
        guard let accessed = values.creationDate, let expires = values.contentModificationDate,
            expires.timeIntervalSinceNow > 0
        else { return nil }
        return (accessed, expires)
    }

    /// In whole seconds, rounded up, as in the original.
    private func setDates(of url: URL, accessed: Date, expires: Date) throws {
        func whole(_ date: Date) -> Date {
            Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.up))
        }
        try files.setAttributes(
            [.creationDate: whole(accessed), .modificationDate: whole(expires)], ofItemAtPath: url.path)
    }

    private static func name(forKey key: String) -> String {
        let bytes = Data(key.utf8)
        let digest = [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
            bytes.withUnsafeBytes { kf_sha256($0.baseAddress, $0.count, digest.baseAddress) }
            count = 32
        }
        return digest.map { String(format: "%02x", $0) }.joined()
    }
}

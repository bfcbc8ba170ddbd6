import Foundation
import Glibc

/// The minimum work for one file per entry: names are the last components of the keys, without hashes,
/// checksums or metadata.
struct BareFiles: FileCache {
    private let folder: String
    private let sizes: [String: Int]

    init(folder: URL) throws {
        try self.init(folder: folder, sizes: [:])
    }

    /// The known sizes of entries, so that file lengths are not queried.
    init(folder: URL, sizes: [String: Int]) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.folder = folder.path + "/"
        self.sizes = sizes
    }

    /// Writes a temporary file and renames it.
    func put(_ data: Data, forKey key: String) throws {
        let path = path(forKey: key)
        let temporary = path + ".new"
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard file >= 0, data.withUnsafeBytes({ write(file, $0.baseAddress, $0.count) }) == data.count,
            close(file) == 0, rename(temporary, path) == 0
        else { throw BenchmarkError("\(path): \(String(cString: strerror(errno)))") }
    }

    /// Opens the file, reads it into new memory, and closes it.
    func get(_ key: String) throws -> Data? {
        let path = path(forKey: key)
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0, let size = sizes[key], let room = malloc(size), read(file, room, size) == size,
            close(file) == 0
        else { throw BenchmarkError("\(path): \(String(cString: strerror(errno)))") }
        return Data(bytesNoCopy: room, count: size, deallocator: .free)
    }

    private func path(forKey key: String) -> String {
        folder + String(decoding: key.utf8.suffix(DiskEntries.digits), as: UTF8.self)
    }
}

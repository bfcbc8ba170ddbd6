import Foundation
import Glibc
import Kingfisher

/// The folder of the tool's cache.
struct CacheFolder {
    /// What the tool's cache is called.
    static let name = "kingfisher"

    /// The user's folder for caches, as the system's users call it.
    static let defaultBase = "$XDG_CACHE_HOME or ~/.cache"

    /// Bytes that a cache made by name is limited to.
    static let limit = 1 << 30

    /// Where a cache in `base`, or in the user's folder for caches, has its files.
    static func path(in base: String?) -> String {
        directory(base)
            .appendingPathComponent("com.onevcat.Kingfisher.ImageCache.\(name)", isDirectory: true).path
    }

    let path: String
    let storage: DiskStorage.Backend<Data>

    /// Opens a folder that is there; makes none.
    init(in base: String?) throws {
        path = Self.path(in: base)
        try Self.check(path)
        storage = DiskStorage.Backend(
            inspecting: DiskStorage.Config(name: Self.name, sizeLimit: 0, directory: Self.directory(base)))
    }

    /// What is in the folder.
    struct Contents {
        /// The cache's own files, by name.
        var entries: [DiskStorage.Entry] = []
        /// All other names, sorted.
        var foreignNames: [String] = []
    }

    /// A file of an entry's name is the cache's own if it has the cache's attribute, or, since copying may
    /// lose that, if it is an image.
    func contents() throws -> Contents {
        var result = Contents(foreignNames: try storage.foreignNames())
        for entry in try storage.entries() {
            if isOwn(entry) {
                result.entries.append(entry)
            } else {
                result.foreignNames.append(entry.fileName)
            }
        }
        result.foreignNames.sort()
        return result
    }

    private func isOwn(_ entry: DiskStorage.Entry) -> Bool {
        // Only an attribute tells when the entry was stored.
        guard entry.storedAt == nil else { return true }
        return switch storage.state(of: entry) {
        case .intact, .damaged: true
        case .withoutChecksum: Self.isImage(entry.url.path)
        case .empty, .unreadable, nil: false
        }
    }

    /// Reads the whole of a file only if it begins as an image does.
    private static func isImage(_ path: String) -> Bool {
        guard let start = try? InputFile.bytes(of: path, atMost: 4_096), ImageCodecs.codec(for: start) != nil
        else { return false }
        return (try? InputFile.bytes(of: path))?.kf.imageInfo != nil
    }

    private static func directory(_ base: String?) -> URL {
        base.map { URL(filePath: $0, directoryHint: .isDirectory) }
            ?? (try? FileManager.default.url(
                for: .cachesDirectory, in: .userDomainMask, appropriateFor: nil, create: false))
            ?? FileManager.default.temporaryDirectory
    }

    private static func check(_ path: String) throws(CacheFolderError) {
        var named = stat()
        if lstat(path, &named) == 0, named.st_mode & S_IFMT == S_IFLNK,
            named.st_uid != 0, named.st_uid != geteuid()
        {
            throw .foreignLink
        }
        guard let status = path.fileStatus else {
            switch errno {
            case ENOENT: throw .noCache
            case ENOTDIR: throw .notAFolder
            case let code: throw .unreadableCache(reason: String(cString: strerror(code)))
            }
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .notAFolder }
        guard access(path, R_OK | X_OK) == 0 else {
            throw .unreadableCache(reason: String(cString: strerror(errno)))
        }
    }
}

/// Why there is no cache to look at.
enum CacheFolderError: Error, Hashable, LocalizedError {
    case noCache
    case notAFolder
    case foreignLink
    case unreadableCache(reason: String)

    var errorDescription: String? {
        switch self {
        case .noCache: "there is no cache"
        case .notAFolder: "it is no folder"
        case .foreignLink: "it is a link that another user has made"
        case .unreadableCache(let reason): "the folder cannot be read: \(reason)"
        }
    }
}

/// A source, or an image made of it, that the cache does not hold.
struct NotCached: Error, LocalizedError {
    var errorDescription: String? { "it is not cached" }
}

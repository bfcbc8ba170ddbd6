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

    private static func directory(_ base: String?) -> URL {
        base.map { URL(filePath: $0, directoryHint: .isDirectory) }
            ?? (try? FileManager.default.url(
                for: .cachesDirectory, in: .userDomainMask, appropriateFor: nil, create: false))
            ?? FileManager.default.temporaryDirectory
    }

    private static func check(_ path: String) throws(CacheFolderError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
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
    case unreadableCache(reason: String)

    var errorDescription: String? {
        switch self {
        case .noCache: "there is no cache"
        case .notAFolder: "it is no folder"
        case .unreadableCache(let reason): "the folder cannot be read: \(reason)"
        }
    }
}

/// A source, or a picture made of it, that the cache does not hold.
struct NotCached: Error, LocalizedError {
    var errorDescription: String? { "it is not cached" }
}

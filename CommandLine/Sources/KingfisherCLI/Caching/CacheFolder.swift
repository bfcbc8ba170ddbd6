import Foundation
import Glibc
import Kingfisher

struct CacheFolder {
    static let name = "kingfisher"

    /// The default parent folder, as shown in help texts.
    static let defaultBase = "$XDG_CACHE_HOME or ~/.cache"

    /// The size limit of the cache in bytes.
    static let limit = 1 << 30

    /// The path of the cache folder in `base`, or in the user's cache directory.
    static func path(in base: String?) -> String {
        directory(base)
            .appendingPathComponent("com.onevcat.Kingfisher.ImageCache.\(name)", isDirectory: true).path
    }

    let path: String
    let storage: DiskStorage.Backend<Data>

    /// Opens an existing folder; does not create one.
    init(in base: String?) throws {
        path = Self.path(in: base)
        try Self.check(path)
        storage = DiskStorage.Backend(
            inspecting: DiskStorage.Config(name: Self.name, sizeLimit: 0, directory: Self.directory(base)))
    }

    struct Contents {
        /// The files of the cache, sorted by name.
        var entries: [DiskStorage.Entry] = []
        /// All other file names, sorted.
        var foreignNames: [String] = []
    }

    /// A file with the name of an entry belongs to the cache if it has the cache's extended attribute.
    /// Copying may lose the attribute, so an image also counts.
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
        // Only the attribute records when the entry was stored.
        guard entry.storedAt == nil else { return true }
        return switch storage.state(of: entry) {
        case .intact, .damaged: true
        case .withoutChecksum: Self.isImage(entry.url.path)
        case .empty, .unreadable, nil: false
        }
    }

    /// Reads the whole file only if its first bytes identify an image.
    private static func isImage(_ path: String) -> Bool {
        guard let start = try? InputFile.bytes(of: path, atMost: 4_096), ImageCodecs.codec(for: start) != nil
        else { return false }
        return (try? InputFile.bytes(of: path))?.kf.imageInfo != nil
    }

    private static func directory(_ base: String?) -> URL {
        (base ?? UserCaches.folder).map { URL(filePath: $0, directoryHint: .isDirectory) }
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
        guard [0, geteuid()].contains(status.st_uid) || status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            throw .foreignFolder
        }
        guard access(path, R_OK | X_OK) == 0 else {
            throw .unreadableCache(reason: String(cString: strerror(errno)))
        }
    }
}

enum CacheFolderError: Error, Hashable, LocalizedError {
    case noCache
    case notAFolder
    case foreignLink
    case foreignFolder
    case unreadableCache(reason: String)

    var errorDescription: String? {
        switch self {
        case .noCache: "the cache does not exist; kingfisher get creates it"
        case .notAFolder: "it is not a folder"
        case .foreignLink: "it is a symbolic link that belongs to another user"
        case .foreignFolder: "it belongs to another user, and others may write to it"
        case .unreadableCache(let reason): "the folder cannot be read: \(reason)"
        }
    }
}

struct NotCached: Error, LocalizedError {
    var errorDescription: String? { "not cached" }
}

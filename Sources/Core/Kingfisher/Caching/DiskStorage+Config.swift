public import Foundation
public import KingfisherStorage

extension DiskStorage {
    /// Which failures a stored file survives.
    public enum Durability: Sendable {
        /// A crash of the process, and a power failure some seconds after the store. A file that is corrupt
        /// after a power failure fails its checksum and is a miss.
        case none
        /// A power failure immediately after the store has returned. Each store waits for the disk, which
        /// takes milliseconds instead of microseconds. If the directory cannot be synchronized, the store
        /// throws even though the file exists.
        case fsync
    }

    /// Settings of a storage on disk.
    public struct Config: Sendable {
        /// The maximum number of bytes of all files; 0 for no limit.
        ///
        /// The limit is enforced while the storage is in use. If the files exceed it by more than 64 KiB, a
        /// background sweep removes expired files and then the least recently used ones, down to nine tenths
        /// of the limit. If stores are faster than the sweep, each store makes room before it writes its
        /// file. One process therefore exceeds the limit by at most three times the larger of 2 MiB and a
        /// 32nd of the limit, and each further process by at most twice as much, plus the files being
        /// written. A single file larger than the limit is stored, and removed by the next sweep.
        public var sizeLimit: UInt
        /// The expiration of files that are stored without one.
        public var expiration: StorageExpiration = .days(7)
        /// An extension for the name of every file.
        public var pathExtension: String?
        /// Whether the name of a file is the SHA-256 of its key, instead of the key.
        public var usesHashedFileName = true
        /// Whether a hashed name ends with the path extension of its key.
        public var autoExtAfterHashedFileName = false
        /// Whether files record their key, so that `ImageCache.removeImages(keyPrefix:)` finds them.
        ///
        /// Files that are stored with tags always record it. Off by default: for attributes that do not fit
        /// into its inodes, ext4 uses a block of 4 KiB for each file, and a store takes a third longer.
        public var recordsKeys = false
        /// Which failures a stored file survives.
        public var durability: Durability = .none
        /// Whether reading a file verifies its checksum. Its length is always verified.
        public var verifiesChecksum = true
        /// Whether the storage holds a filter of file names in memory, two to three bytes each, so that a
        /// manager starts a download without reading the disk if there is no file.
        ///
        /// The filter is filled by a scan when the storage is opened, by the storage's writes, and by
        /// inotify(7) for the writes of other processes. Writes of other hosts to a network file system may
        /// not be noticed; such files are downloaded again.
        public var filtersNames = true
        /// Permissions of folders that the storage makes, as in chmod(2), without those in the umask.
        ///
        /// Applies to missing folders above it as well, such as `$XDG_CACHE_HOME`. A folder that exists keeps
        /// its permissions. It is refused (`cannotCreateDirectory`) if group or others may write to it and
        /// it belongs to a user other than this one and root.
        public var folderMode: UInt32 = 0o700
        /// Permissions of new files, in addition to the read permissions of their folder: in a folder with
        /// mode 0755, files have 0644. The umask does not apply.
        ///
        /// The storage reads only files of this user and root. A file of another user is a miss, and a store
        /// replaces it.
        public var fileMode: UInt32 = 0o600
        /// Selects the folder from the base folder and the folder's name.
        public var cachePathBlock: (@Sendable (_ directory: URL, _ cacheName: String) -> URL)! = {
            directory, cacheName in directory.appendingPathComponent(cacheName, isDirectory: true)
        }
        /// The name of the storage, which is part of its folder's name.
        public let name: String

        private let base: URL

        /// Makes settings of a storage in `directory`; nil for the user's caches folder.
        public init(
            name: String, sizeLimit: UInt, fileManager: FileManager = .default, directory: URL? = nil
        ) {
            self.name = name
            self.sizeLimit = sizeLimit
            base =
                directory ?? UserCaches.folder.map { URL(filePath: $0, directoryHint: .isDirectory) }
                ?? fileManager.temporaryDirectory
        }

        /// A slash in the name makes a nested folder. Escapes "..", which must not lead out of the base
        /// folder, and the suffix of staging folders, which must not be the folder of another cache.
        var folderURL: URL {
            let parts = name.split(separator: "/", omittingEmptySubsequences: false)
            let safe = parts.map(Self.safe).joined(separator: "/")
            return cachePathBlock(base, "com.onevcat.Kingfisher.ImageCache.\(safe)")
        }

        private static func safe(_ part: Substring) -> String {
            let staging = DiskEngine.stagingSuffix
            if part == ".." { return "%2E%2E" }
            guard part.hasSuffix(staging) else { return String(part) }
            return "\(part.dropLast(staging.count))%2E\(staging.dropFirst())"
        }

        var engineSettings: DiskSettings {
            DiskSettings(
                sizeLimit: UInt64(sizeLimit), syncsWrites: durability == .fsync,
                verifiesChecksum: verifiesChecksum, filtersNames: filtersNames, folderMode: folderMode,
                fileMode: fileMode)
        }

        var naming: FileNaming {
            FileNaming(
                pathExtension: pathExtension, usesHashedFileName: usesHashedFileName,
                autoExtAfterHashedFileName: autoExtAfterHashedFileName)
        }
    }
}

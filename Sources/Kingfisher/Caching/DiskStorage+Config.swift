public import Foundation
public import KingfisherStorage

extension DiskStorage {
    /// What a file that was stored survives.
    public enum Durability: Sendable {
        /// The end of the process, and a power cut some seconds later. Files that a power cut damages fail
        /// their checksum and are misses.
        case none
        /// A power cut from the moment at which the store has succeeded. Each store waits for the disk, which
        /// takes milliseconds instead of microseconds. When naming the file durably fails, the store throws
        /// though the file is there.
        case fsync
    }

    /// Settings of a storage on disk.
    public struct Config: Sendable {
        /// The most bytes all files may take; 0 for no limit.
        ///
        /// Kept while the storage is in use: when the files exceed it by more than 64 KiB, first those that
        /// have expired and then the least recently used are removed in the background, down to nine tenths
        /// of the limit. Who stores faster than that helps before its file is written, making room for it,
        /// too, so that one process exceeds the limit by no more than three times the larger of 2
        /// MiB and a 32nd of it, and each further process by twice as much, besides the files
        /// being written at a moment. A single file larger than the limit is stored nevertheless,
        /// and goes with the next removal.
        public var sizeLimit: UInt
        /// How long files are kept when a call does not say.
        public var expiration: StorageExpiration = .days(7)
        /// Added to every file's name.
        public var pathExtension: String?
        /// Whether files are called by the SHA-256 of their key, or by the key itself.
        public var usesHashedFileName = true
        /// Whether a hashed name keeps the extension that its key seems to have.
        public var autoExtAfterHashedFileName = false
        /// Whether files record their key, so that `ImageCache.removeImages(keyPrefix:)` finds them.
        ///
        /// Files that are stored with tags always do. Off by default: ext4 keeps what does not fit into its
        /// inodes in a block of 4 KiB for each file, and a store takes a third longer.
        public var recordsKeys = false
        /// What a stored file survives.
        public var durability: Durability = .none
        /// Whether files are compared with their checksum when they are read; their length always is.
        public var verifiesChecksum = true
        /// Whether the names of files are kept in memory, two to three bytes each, so that a manager starts a
        /// download without asking the disk first where there is no file.
        ///
        /// The names come from a scan when the storage is opened, from its own writes, and from inotify(7)
        /// for those of other processes. On a file system that other hosts write to, their files may not be
        /// noticed; they are downloaded again then.
        public var filtersNames = true
        /// Chooses the folder from the base folder and the folder's name.
        public var cachePathBlock: (@Sendable (_ directory: URL, _ cacheName: String) -> URL)! = {
            directory, cacheName in directory.appendingPathComponent(cacheName, isDirectory: true)
        }
        /// What the storage is called.
        public let name: String

        private let base: URL

        /// Settings of a storage below `directory`, or below the user's caches folder.
        public init(
            name: String, sizeLimit: UInt, fileManager: FileManager = .default, directory: URL? = nil
        ) {
            self.name = name
            self.sizeLimit = sizeLimit
            base =
                directory
                ?? (try? fileManager.url(
                    for: .cachesDirectory, in: .userDomainMask, appropriateFor: nil, create: false))
                ?? fileManager.temporaryDirectory
        }

        /// A slash in the name makes a folder in a folder; dots must not lead out of the base
        /// folder. A name that ends like the folder in which another cache writes its
        /// unfinished files is spelled differently.
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
                verifiesChecksum: verifiesChecksum, filtersNames: filtersNames)
        }

        var naming: FileNaming {
            FileNaming(
                pathExtension: pathExtension, usesHashedFileName: usesHashedFileName,
                autoExtAfterHashedFileName: autoExtAfterHashedFileName)
        }
    }
}

public import Foundation
import KingfisherStorage

extension DiskStorage {
    /// A file of a storage, as it was when the folder was read.
    public struct Entry: Sendable, Hashable {
        /// The name in the storage's folder: a digest of the key, or the key (`Config.usesHashedFileName`).
        public let fileName: String
        public let url: URL
        /// The number of bytes of content.
        public let byteCount: Int
        /// When the value was stored; nil for a file without its extended attribute.
        public let storedAt: Date?
        /// When the value expires; `Date.distantFuture` for never.
        public let expiration: Date
        /// When the value was last stored or read.
        public let lastAccess: Date

        let inspected: InspectedEntry

        init(_ inspected: InspectedEntry, in folder: URL) {
            fileName = inspected.fileName
            url = folder.appendingPathComponent(inspected.fileName, isDirectory: false)
            byteCount = inspected.byteCount
            storedAt = inspected.storedAt
            expiration = inspected.expiration
            lastAccess = inspected.lastAccess
            self.inspected = inspected
        }

        /// Whether the value has expired at `date`.
        public func isExpired(at date: Date = Date()) -> Bool { expiration <= date }
    }

    /// The result of verifying an entry's file.
    public enum EntryState: Sendable, Hashable {
        /// Length and checksum match.
        case intact
        /// The file has no extended attribute, for example after a copy without attributes. It is used
        /// without verification.
        case withoutChecksum
        /// The length, the checksum or the attribute is invalid. Reading the value is a miss and removes the
        /// file.
        case damaged
        /// The file is empty. Reading the value is a miss and removes the file.
        case empty
        /// The file cannot be opened or read, because of this `errno`.
        case unreadable(code: Int32)
    }
}

/// Inspection of a storage.
///
/// Nothing here counts as an access or moves an expiration. No lock is held: concurrent stores and removals
/// may or may not be seen. Every call does its I/O on the caller's thread.
extension DiskStorage.Backend {
    /// All entries, including expired ones, sorted by file name.
    ///
    /// Calls `stat` and reads an attribute for each file. Holds all entries in memory; use `forEachEntry(_:)`
    /// to hold one at a time. Throws `KingfisherError.cacheError` if the folder cannot be listed; a missing
    /// folder has no entries.
    public func entries() throws -> [DiskStorage.Entry] {
        var entries: [DiskStorage.Entry] = []
        try forEachEntry { entries.append($0) }
        return entries.sorted { $0.fileName < $1.fileName }
    }

    /// Calls `body` with each entry, in no particular order. Stops at the first error and rethrows it.
    public func forEachEntry(_ body: (DiskStorage.Entry) throws -> Void) throws {
        try inspect { item in
            if case .entry(let entry) = item { try body(DiskStorage.Entry(entry, in: directoryURL)) }
        }
    }

    /// The names in the folder that do not belong to this storage, sorted: folders, links, hidden files, and
    /// names that no key can have. `removeAll()` removes all of them, `removeExpiredValues()` only files.
    public func foreignNames() throws -> [String] {
        var names: [String] = []
        try inspect { if case .foreign(let name) = $0 { names.append(name) } }
        return names.sorted()
    }

    /// Reads an entry's file and verifies its checksum; nil if the file no longer exists.
    public func state(of entry: DiskStorage.Entry) -> DiskStorage.EntryState? {
        switch engine.condition(of: entry.inspected) {
        case .intact: .intact
        case .withoutChecksum: .withoutChecksum
        case .damaged: .damaged
        case .empty: .empty
        case .unreadable(let error): .unreadable(code: error.code)
        case nil: nil
        }
    }

    /// Removes an entry's file and returns true, or returns false if the file was stored or its expiration
    /// moved since the entry was read. Throws the system's error if the file cannot be removed.
    public func remove(_ entry: DiskStorage.Entry) throws -> Bool {
        do {
            return try engine.remove(entry.inspected)
        } catch {
            throw error.publicError(key: "", data: Data(), directory: directoryURL)
        }
    }

    private func inspect(_ body: (InspectedItem) throws -> Void) throws {
        do {
            try engine.inspect(named: config.naming, body)
        } catch let failure as DiskStorageFailure {
            throw failure.publicError(key: "", data: Data(), directory: directoryURL)
        }
    }
}

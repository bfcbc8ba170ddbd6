public import Foundation
import KingfisherStorage

extension DiskStorage {
    /// A file of a storage, as it was when the folder was looked at.
    public struct Entry: Sendable, Hashable {
        /// The name in the storage's folder: a digest of the key, unless the storage is told to use keys.
        public let fileName: String
        public let url: URL
        /// Bytes of content.
        public let byteCount: Int
        /// When the value was stored; nil for a file that has lost its extended attribute.
        public let storedAt: Date?
        /// When the value stops being served; `Date.distantFuture` for never.
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

        /// Whether the value is not served any more at `date`.
        public func isExpired(at date: Date = Date()) -> Bool { expiration <= date }
    }

    /// What an entry's content is, compared with what was stored.
    public enum EntryState: Sendable, Hashable {
        /// Length and checksum are right.
        case intact
        /// The file has no extended attribute, as after copying without attributes: it is served as it is.
        case withoutChecksum
        /// Length, checksum or the attribute itself are wrong: reading it would be a miss and remove it.
        case damaged
        /// The file holds nothing: reading it would be a miss and remove it.
        case empty
        /// The file cannot be opened or read, for the reason of this `errno`.
        case unreadable(code: Int32)
    }
}

/// Looking at what a storage holds. Nothing here notes an access or extends an expiration, and nobody
/// waits for it: what others store or remove meanwhile may or may not be seen. Every call does its
/// file work on the caller's thread.
extension DiskStorage.Backend {
    /// All entries, expired ones included, by file name.
    ///
    /// Takes a `stat` and the reading of an attribute for each, and keeps all in memory, where
    /// `forEachEntry(_:)` keeps none. Throws `KingfisherError.cacheError` when the folder cannot be listed;
    /// one that is gone holds nothing.
    public func entries() throws -> [DiskStorage.Entry] {
        var entries: [DiskStorage.Entry] = []
        try forEachEntry { entries.append($0) }
        return entries.sorted { $0.fileName < $1.fileName }
    }

    /// Calls `body` with one entry after another, in no order; what it throws ends the walk and is thrown on.
    public func forEachEntry(_ body: (DiskStorage.Entry) throws -> Void) throws {
        try inspect { item in
            if case .entry(let entry) = item { try body(DiskStorage.Entry(entry, in: directoryURL)) }
        }
    }

    /// Names in the folder that are none of this storage's, sorted: folders, links, hidden files, and names
    /// that no key has. `removeAll()` removes them, too, and so does `removeExpiredValues()` with files.
    public func foreignNames() throws -> [String] {
        var names: [String] = []
        try inspect { if case .foreign(let name) = $0 { names.append(name) } }
        return names.sorted()
    }

    /// Reads the whole of an entry's file and compares it with its checksum; nil when the file is gone.
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

    /// Removes an entry's file, and says whether it did: one that was stored or extended again since it was
    /// looked at stays. Throws the system's error when it cannot be removed.
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

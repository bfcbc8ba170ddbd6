package import Foundation
import Synchronization

/// A disk cache of byte strings: one file per entry in a flat folder that contains nothing else.
///
/// The content of a file is the payload. Its modification time is the expiry, its access time is the last
/// use, and an extended attribute (`EntryAttribute`) holds length, checksum and lifetime. There is no index,
/// so several processes can share a folder and nothing needs repair after a crash. A file gets its name only
/// when it is complete. Symbolic links are never followed, and files of other users are not entries.
///
/// Safe to use from any thread. Every call does its file work on the caller's thread before it returns.
/// Operations on one name are serialized; operations on different names run concurrently. Operations on the
/// whole folder run concurrently with them and lock one name at a time; only the end of `removeAll` excludes
/// all others.
///
/// The folder is scanned in the background once when it is opened, and kept below its limit (`DiskCap`).
package final class DiskEngine: Sendable {
    package static let stagingSuffix = ".staging"

    /// Makes files for bodies that may be stored here.
    package let bodies: BodyFolder
    let accounting: FolderAccounting
    private let folder: CacheFolder
    private let reader: DiskReader
    private let writer: DiskWriter
    private let sweeper: DiskSweeper
    private let inspector: DiskInspector
    private let upkeep: DiskUpkeep
    private let choices: Mutex<DiskSettings>

    package convenience init(
        directory: String, settings: DiskSettings = DiskSettings(), fileSystem: FileSystem = FileSystem(),
        clock: any StorageClock = WallClock(), background: BackgroundWork = .onQueue()
    ) {
        self.init(
            directory: directory, settings: settings, fileSystem: fileSystem, clock: clock,
            background: background, watch: .shared)
    }

    init(
        directory: String, settings: DiskSettings, fileSystem: FileSystem, clock: any StorageClock,
        background: BackgroundWork, watch: FolderWatch
    ) {
        choices = Mutex(settings)
        folder = CacheFolder(directory, fileSystem, settings)
        accounting = FolderAccounting(of: folder, settings, watch: watch)
        reader = DiskReader(folder, accounting, clock: clock, background: background)
        let staging = Staging(of: folder)
        let partials = PartialFiles(staging, accounting, clock: clock, background: background)
        bodies = BodyFolder(staging, partials)
        sweeper = DiskSweeper(folder, partials, accounting, clock: clock)
        upkeep = DiskUpkeep(folder, accounting, sweeper, clock: clock, background: background)
        writer = DiskWriter(folder, staging, accounting, reader, upkeep, clock: clock)
        inspector = DiskInspector(folder, accounting, clock: clock)
    }

    package var directory: String { folder.directory }

    /// Changes apply to later calls; a lower limit is applied in the background.
    package var settings: DiskSettings {
        get { choices.withLock { $0 } }
        set {
            choices.withLock { $0 = newValue }
            folder.apply(newValue)
            accounting.apply(newValue)
            upkeep.start()
        }
    }

    /// Makes the cache folder and starts a scan of it in the background. A new folder is scanned at once, so
    /// that its names are known on return. Must succeed before entries can be stored or read.
    package func prepare() throws(DiskStorageFailure) {
        if try folder.prepare() { upkeep.scanNow() }
        upkeep.start()
    }

    package var isReady: Bool { folder.isReady }

    package func path(of name: EntryName) -> String { folder.path(of: name) }

    package var statistics: DiskCacheStatistics { accounting.statistics }

    // MARK: - One entry

    /// The payload of an entry; nil if the entry is absent, expired or corrupt.
    ///
    /// Length and checksum are verified, and a corrupt or empty file is removed. A file without its attribute
    /// is returned unverified. A read notes the access and extends the lifetime. This engine sees that
    /// immediately, other processes about a second later or when this process exits normally. A file of
    /// root keeps its times; one of another user is absent (`FileSystem.isForeign`).
    ///
    /// - Throws: `notReady`, `cannotLoad` (also if the entry is a link, or if no file descriptors are
    ///   available), `invalidResource`.
    package func data(
        for name: EntryName, extending: ExpirationExtending = .cacheTime
    ) throws(DiskStorageFailure) -> Data? {
        try entry(for: name, extending: extending)?.payload
    }

    package func entry(
        for name: EntryName, extending: ExpirationExtending = .cacheTime
    ) throws(DiskStorageFailure) -> StoredEntry? {
        guard isReady else { throw .notReady(path: directory) }
        return try reader.entry(for: name, extending: extending, verifying: settings.verifiesChecksum)
    }

    /// Opens an entry, whose bytes stay readable even if it is replaced, removed or expires; nil if it is
    /// absent, expired or has the wrong length.
    ///
    /// Like `entry`, notes the access, extends the lifetime and removes a file of the wrong length. Does not
    /// read the payload: see `OpenEntry` for the checksum.
    ///
    /// - Throws: As `data`.
    package func open(
        _ name: EntryName, extending: ExpirationExtending = .cacheTime
    ) throws(DiskStorageFailure) -> OpenEntry? {
        guard isReady else { throw .notReady(path: directory) }
        return try reader.open(name, extending: extending, verifying: settings.verifiesChecksum)
    }

    /// Whether an entry exists and has not expired at `date`. Neither reads nor extends it.
    ///
    /// A link counts as an entry, even without a target: loading it reports the reason.
    package func isCached(_ name: EntryName, at date: Date? = nil) -> Bool {
        isReady && reader.isCached(name, at: date)
    }

    /// Whether there is certainly no entry, as far as this is known without disk access; counts a miss in
    /// that case. May be wrong for a moment after another process has stored the entry: see `NameFilter`.
    package func rulesOut(_ name: EntryName) -> Bool {
        guard isReady else { return false }
        if accounting.rulesOut(name) { return true }
        if accounting.wantsNames { upkeep.start() }
        return false
    }

    /// Whether `rulesOut` knows the names in the folder. Starts a scan if one is due.
    package var knowsNames: Bool {
        if accounting.knowsNames { return true }
        if accounting.wantsNames { upkeep.start() }
        return false
    }

    /// Restarts an entry's lifetime without reading its payload. Returns false if there is no entry that
    /// could be loaded, or if its times cannot be changed. An expired lifetime changes nothing, as with
    /// `store`.
    ///
    /// - Parameter httpRecords: Replaces the records of an HTTP response; nil leaves them unchanged.
    package func renew(
        _ name: EntryName, expiration: StorageExpiration, httpRecords: [EntryRecord]? = nil
    ) -> Bool {
        isReady && reader.renew(name, expiration: expiration, httpRecords: httpRecords)
    }

    /// Stores a payload under a name, replacing an entry, a link or a folder.
    ///
    /// A payload that is the mapping of a body's file (`BodyFile.complete`) is not copied: that file is
    /// moved. Others are written beside the cache folder and renamed into it. So a reader never sees a
    /// partial file. If anything fails, nothing is left behind and the old entry stays. The file is not
    /// synced to the disk unless the settings request it: what a power failure corrupts fails its checksum
    /// later. An expired lifetime stores nothing. If the cache folder was deleted, it is made again. Above
    /// the size limit, the caller first helps to remove the least recently used entries.
    ///
    /// - Parameters:
    ///   - replacing: If false, the call fails with `EEXIST` if an unexpired entry exists.
    ///   - records: Stored with the entry. They are lost if the file system has no extended attributes or no
    ///     room for them in one.
    /// - Throws: `notReady`, `cannotCreateDirectory`, `cannotCreateFile`, `cannotSetAttribute`.
    package func store(
        _ payload: Data, for name: EntryName, expiration: StorageExpiration, replacing: Bool = true,
        records: [EntryRecord] = []
    ) throws(DiskStorageFailure) {
        guard isReady else { throw .notReady(path: directory) }
        try writer.store(
            payload, for: name, expiration: expiration, replacing: replacing, records: records,
            syncing: settings.syncsWrites)
    }

    package func remove(_ name: EntryName) throws(DiskStorageFailure) { try writer.remove(name) }

    package func writePendingAccesses() { accounting.writeAccesses() }

    // MARK: - The whole folder

    /// The total size of the payloads in bytes.
    package func totalSize() throws(DiskStorageFailure) -> UInt64 {
        var total: UInt64 = 0
        try folder.forEachEntry { total &+= UInt64($0.status?.size ?? 0) }
        return total
    }

    /// Removes the entries of a selection that were stored at or before a date. Returns the names of their
    /// files.
    ///
    /// Costs one system call for each file that stays. Visits the whole folder, then throws the first error.
    package func removeEntries(
        in selection: EntrySelection, storedUntil date: Date
    ) throws(DiskStorageFailure) -> [String] {
        try sweeper.sweep(selection, until: date).get()
    }

    /// Removes the entries that expired at or before a date. Returns the names of the removed files.
    ///
    /// A file whose metadata cannot be read counts as expired. Unfinished files of terminated processes are
    /// also removed. Visits the whole folder, then throws the first error.
    package func removeExpired(at date: Date? = nil) throws(DiskStorageFailure) -> [String] {
        try sweepExpired(at: date).get()
    }

    package func sweepExpired(at date: Date? = nil) throws(DiskStorageFailure) -> SweepOutcome {
        try sweeper.sweepExpired(at: date)
    }

    /// If the entries exceed a limit in bytes, removes the least recently used until half of the limit is
    /// left.
    ///
    /// - Parameter limit: Zero means no limit.
    /// - Returns: The names of the removed files, the least recently used first.
    package func removeSizeExceeded(limit: UInt64) throws(DiskStorageFailure) -> [String] {
        try sweepSizeExceeded(limit: limit).get()
    }

    package func sweepSizeExceeded(limit: UInt64) throws(DiskStorageFailure) -> SweepOutcome {
        try sweeper.sweepSizeExceeded(limit: limit)
    }

    /// Empties the cache folder, makes it if it is missing, and makes the storage ready.
    ///
    /// Entries that were stored before the call are removed concurrently with other operations. Only entries
    /// that are stored during the call are removed under all locks, which takes very little time. Visits the
    /// whole folder, then throws the first error. The names are known on return, as after `prepare`.
    package func removeAll() throws(DiskStorageFailure) {
        defer { upkeep.start() }
        try sweeper.removeAll()
        upkeep.scanNow()
    }

    /// Calls `body` with every name in the folder except the names of unfinished files, in no particular
    /// order. Changes nothing.
    ///
    /// Costs one `stat` for each name and one read of the attribute for each entry. A missing folder counts
    /// as empty. Also works before `prepare()`. No lock is held: concurrent stores and removals may or may
    /// not be seen.
    ///
    /// - Throws: `cannotEnumerate`, and any error of `body`, which ends the enumeration.
    package func inspect(named naming: FileNaming, _ body: (InspectedItem) throws -> Void) throws {
        try inspector.inspect(named: naming, body)
    }

    /// Compares an entry with its attribute; nil if it no longer exists. Reads the whole file, in pieces,
    /// without noting an access.
    package func condition(of entry: InspectedEntry) -> EntryCondition? { inspector.condition(of: entry) }

    /// Removes an entry, unless it was replaced or renewed after its inspection. Returns whether it was
    /// removed.
    ///
    /// - Throws: `cannotRemove`.
    package func remove(_ entry: InspectedEntry) throws(DiskStorageFailure) -> Bool {
        try sweeper.remove(entry)
    }
}

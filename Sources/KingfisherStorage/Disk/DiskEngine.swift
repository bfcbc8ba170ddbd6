package import Foundation
import Synchronization

/// A disk cache of byte strings: one file per entry in a flat folder that holds nothing else.
///
/// The content of a file is the payload. Its modification time is the expiry, its access time the last use,
/// and an extended attribute (`EntryAttribute`) carries length, checksum and lifetime; no index exists, so
/// that several processes can share a folder and nothing needs repair after a crash. A file appears under its
/// name only when it is whole. Symbolic links are never followed.
///
/// Safe to use from any thread. Every call does its file work before it returns, on the caller's thread.
/// Operations on one name happen one after another, those on different names side by side. Operations on the
/// whole folder run beside them and take one name at a time; only the end of `removeAll` excludes all others.
///
/// In the background the folder is scanned once when it is opened, and kept below its limit (`DiskCap`).
package final class DiskEngine: Sendable {
    /// What the folder of unfinished files adds to the name of the cache folder beside it.
    package static let stagingSuffix = ".staging"

    let accounting: FolderAccounting
    private let folder: CacheFolder
    private let reader: DiskReader
    private let writer: DiskWriter
    private let sweeper: DiskSweeper
    private let inspector: DiskInspector
    private let upkeep: DiskUpkeep
    private let choices: Mutex<DiskSettings>

    /// Makes an engine that touches no file yet and is not ready before `prepare()`.
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
        folder = CacheFolder(directory, fileSystem)
        accounting = FolderAccounting(of: folder, settings, watch: watch)
        reader = DiskReader(folder, accounting, clock: clock, background: background)
        sweeper = DiskSweeper(folder, accounting, clock: clock)
        upkeep = DiskUpkeep(folder, accounting, sweeper, clock: clock, background: background)
        writer = DiskWriter(folder, accounting, reader, upkeep, clock: clock)
        inspector = DiskInspector(folder, accounting, clock: clock)
    }

    /// The absolute path of the cache folder.
    package var directory: String { folder.directory }

    /// A change holds for later calls; a lower limit is met in the background.
    package var settings: DiskSettings {
        get { choices.withLock { $0 } }
        set {
            choices.withLock { $0 = newValue }
            accounting.apply(newValue)
            upkeep.start()
        }
    }

    /// Makes the cache folder, which must succeed before anything can be stored or read, and has it scanned
    /// in the background.
    package func prepare() throws(DiskStorageFailure) {
        try folder.prepare()
        upkeep.start()
    }

    package var isReady: Bool { folder.isReady }

    /// The path of the file that holds or would hold an entry.
    package func path(of name: EntryName) -> String { folder.path(of: name) }

    /// What the engine knows without looking at the folder.
    package var statistics: DiskCacheStatistics { accounting.statistics }

    // MARK: - One entry

    /// The payload of an entry, or nil when there is none, it expired, or it is corrupt.
    ///
    /// Length and checksum are verified; a corrupt or empty file is removed. A file that lost its attribute
    /// is served as it is. Reading notes the access and extends the lifetime: for this engine before it
    /// returns, for other processes about a second later or when this one ends by itself; a file of another
    /// user keeps its times.
    ///
    /// - Throws: `notReady`, `cannotLoad` (also for a link in the entry's place, and when descriptors have
    ///   run out), `invalidResource`.
    package func data(
        for name: EntryName, extending: ExpirationExtending = .cacheTime
    ) throws(DiskStorageFailure) -> Data? {
        try entry(for: name, extending: extending)?.payload
    }

    /// An entry's payload together with what travels with it; see `data(for:extending:)`.
    package func entry(
        for name: EntryName, extending: ExpirationExtending = .cacheTime
    ) throws(DiskStorageFailure) -> StoredEntry? {
        guard isReady else { throw .notReady(path: directory) }
        return try reader.entry(for: name, extending: extending, verifying: settings.verifiesChecksum)
    }

    /// Whether an entry is there and not expired at `date`, without reading or extending it.
    ///
    /// A link in its place counts as an entry, also without a target: loading it reports the reason.
    package func isCached(_ name: EntryName, at date: Date? = nil) -> Bool {
        isReady && reader.isCached(name, at: date)
    }

    /// Whether there is certainly no entry, as far as that can be told without touching the disk; counts a
    /// miss then. May be wrong for a moment after another process has stored one: see `NameFilter`.
    package func rulesOut(_ name: EntryName) -> Bool {
        guard isReady else { return false }
        if accounting.rulesOut(name) { return true }
        if accounting.wantsNames { upkeep.start() }
        return false
    }

    /// Whether calls of `rulesOut` are answered from the names in the folder; starts a scan where that is
    /// due.
    package var knowsNames: Bool {
        if accounting.knowsNames { return true }
        if accounting.wantsNames { upkeep.start() }
        return false
    }

    /// Begins an entry's lifetime again, without looking at its payload; false when there is no entry that
    /// could be loaded, or its times cannot be changed. An expired lifetime changes nothing, as with `store`.
    ///
    /// - Parameter httpRecords: Replace the records that an HTTP response has left; nil keeps those.
    package func renew(
        _ name: EntryName, expiration: StorageExpiration, httpRecords: [EntryRecord]? = nil
    ) -> Bool {
        isReady && reader.renew(name, expiration: expiration, httpRecords: httpRecords)
    }

    /// Stores a payload under a name, replacing what was there, a link or a folder included.
    ///
    /// The file is written beside the cache folder and renamed into it, so that no reader ever sees a part of
    /// it; when anything fails nothing is left behind and the old entry stays. Unless the settings say so it
    /// is not synced to the disk: what a power cut corrupts fails its checksum later. An expired lifetime
    /// stores nothing. A cache folder that has been deleted is made again. Above the size limit the caller
    /// first helps to remove what was not used for longest.
    ///
    /// - Parameters:
    ///   - replacing: False fails with `EEXIST` when an entry is there that has not expired.
    ///   - records: What is to travel with the entry; lost where the file system has no
    ///     attributes, or no room for them in one.
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

    /// Removes an entry; one that does not exist is removed already.
    package func remove(_ name: EntryName) throws(DiskStorageFailure) { try writer.remove(name) }

    /// Writes the accesses that wait into the files' times.
    package func writePendingAccesses() { accounting.writeAccesses() }

    // MARK: - The whole folder

    /// The sum of the payloads' sizes in bytes.
    package func totalSize() throws(DiskStorageFailure) -> UInt64 {
        var total: UInt64 = 0
        try folder.forEachEntry { total &+= UInt64($0.status?.size ?? 0) }
        return total
    }

    /// Removes the entries of a selection that were stored before or at a date, and returns their files'
    /// names.
    ///
    /// One system call for each file that stays. Goes through the whole folder before it throws the first
    /// failure.
    package func removeEntries(
        in selection: EntrySelection, storedUntil date: Date
    ) throws(DiskStorageFailure) -> [String] {
        try sweeper.sweep(selection, until: date).get()
    }

    /// Removes what expired before or at a date, and returns the names of the files removed.
    ///
    /// A file whose metadata cannot be read counts as expired. Unfinished files that a killed process left
    /// are swept, too. Goes through the whole folder before it throws the first failure.
    package func removeExpired(at date: Date? = nil) throws(DiskStorageFailure) -> [String] {
        try sweepExpired(at: date).get()
    }

    /// `removeExpired(at:)`, with what was removed and what failed. Throws when the folder cannot be listed.
    package func sweepExpired(at date: Date? = nil) throws(DiskStorageFailure) -> SweepOutcome {
        try sweeper.sweepExpired(at: date)
    }

    /// When the entries exceed a limit in bytes, removes the least recently used until half of it is left.
    ///
    /// - Parameter limit: zero means no limit.
    /// - Returns: the names of the files removed, the one unused for longest first.
    package func removeSizeExceeded(limit: UInt64) throws(DiskStorageFailure) -> [String] {
        try sweepSizeExceeded(limit: limit).get()
    }

    /// `removeSizeExceeded(limit:)`, with what was removed and what failed. Throws when the folder cannot be
    /// listed.
    package func sweepSizeExceeded(limit: UInt64) throws(DiskStorageFailure) -> SweepOutcome {
        try sweeper.sweepSizeExceeded(limit: limit)
    }

    /// Empties the cache folder, or makes it where it is missing, and so makes the storage ready.
    ///
    /// What was stored before is gone when it returns; only what is stored meanwhile is removed with nothing
    /// else running, which takes hardly any time. Goes through the whole folder before it throws the first
    /// failure.
    package func removeAll() throws(DiskStorageFailure) {
        defer { upkeep.start() }
        try sweeper.removeAll()
    }

    /// Calls `body` with every name in the folder but those of unfinished files, in no order, and changes
    /// nothing. One `stat` for each name, and one read of the attribute for each entry. A folder that does
    /// not exist is empty. Works before `prepare()`, too. No lock is held: what other threads store or remove
    /// meanwhile may or may not be seen.
    ///
    /// - Throws: `cannotEnumerate`, and what `body` throws, which ends the walk.
    package func inspect(named naming: FileNaming, _ body: (InspectedItem) throws -> Void) throws {
        try inspector.inspect(named: naming, body)
    }

    /// Compares an entry with what its attribute says of it; nil when it is gone.
    ///
    /// Reads the whole file, in pieces, without noting an access.
    package func condition(of entry: InspectedEntry) -> EntryCondition? { inspector.condition(of: entry) }

    /// Removes an entry, unless another has been stored in its place or it has been renewed since it was
    /// inspected; returns whether it did.
    ///
    /// - Throws: `cannotRemove`.
    package func remove(_ entry: InspectedEntry) throws(DiskStorageFailure) -> Bool {
        try sweeper.remove(entry)
    }
}

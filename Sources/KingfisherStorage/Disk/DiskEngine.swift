package import Foundation
import Glibc
import KingfisherConcurrency
import Synchronization

/// A disk cache of byte strings: one file per entry in a flat folder that holds nothing else.
///
/// The content of a file is the payload. Its modification time is the expiry, its access time the last use,
/// and an extended attribute (`EntryAttribute`) carries length, checksum and lifetime; no index exists, so
/// that several processes can share a folder and nothing needs repair after a crash. A file appears under its
/// name only when it is whole. Symbolic links are never followed.
///
/// Safe to use from any thread. Every call does its file work before it returns, on the caller's thread.
/// Operations on one name happen one after another, those on different names side by side. Whatever goes
/// through the whole folder runs beside them and takes one name at a time; only the end of `removeAll`
/// excludes all others.
///
/// In the background the folder is scanned once when it is opened, and kept below its limit (`DiskCap`).
package final class DiskEngine: Sendable {
    /// What is known of the folder, and what may be in it.
    struct Books: Sendable {
        var tally = FolderTally()
        var cap: DiskCap
        /// Bytes of the files that are being written.
        var incoming = 0

        var need: DiskCap.Need { cap.need(tally, incoming: incoming) }
        var holdsWriters: Bool { cap.holdsWriters(tally, incoming: incoming) }
        var target: Int { cap.target(incoming: incoming) }
    }

    /// What the folder of unfinished files adds to the name of the cache folder beside it.
    package static let stagingSuffix = ".staging"

    /// The absolute path of the cache folder.
    package let directory: String
    let stagingDirectory: String
    let fileSystem: FileSystem
    let clock: any StorageClock
    let background: BackgroundWork
    let accesses: AccessWriter
    var locks: KeyedLocks { accesses.locks }
    var pending: PendingAccesses { accesses.pending }
    let books: Mutex<Books>
    let counts = DiskCounts()
    /// Which names the folder does not have.
    let names = NameFilter()
    /// Held by who scans or sweeps.
    let upkeep = Mutex(Upkeep())
    let isUpkeepAhead = Atomic(false)
    /// Somebody has planned a sweep that is not carried out yet.
    let hasPlan = Atomic(false)
    /// The sibling folder, once it has been opened.
    let staging = Mutex<OpenFolder?>(nil)
    /// Set once the sibling folder proved to be on another file system, where nothing can be renamed from.
    let stagesInside = Atomic(false)
    let folderNames = Mutex(NameDurability())
    private let choices: Mutex<DiskSettings>
    private let ready = Atomic(false)
    private let pathPrefix: String

    /// Makes an engine that touches no file yet and is not ready before `prepare()`.
    package init(
        directory: String, settings: DiskSettings = DiskSettings(), fileSystem: FileSystem = FileSystem(),
        clock: any StorageClock = WallClock(), background: BackgroundWork = .onQueue()
    ) {
        var directory = directory
        while directory.count > 1, directory.hasSuffix("/") { directory.removeLast() }
        self.directory = directory
        self.stagingDirectory = directory + Self.stagingSuffix
        self.pathPrefix = directory + "/"
        self.fileSystem = fileSystem
        accesses = AccessWriter(pathPrefix: directory + "/", fileSystem: fileSystem)
        self.clock = clock
        self.background = background
        choices = Mutex(settings)
        books = Mutex(Books(cap: DiskCap(limit: settings.sizeLimit)))
        names.turn(on: settings.filtersNames)
    }

    /// A change holds for later calls; a lower limit is met in the background.
    package var settings: DiskSettings {
        get { choices.withLock { $0 } }
        set {
            choices.withLock { $0 = newValue }
            names.turn(on: newValue.filtersNames)
            books.withLock { $0.cap = DiskCap(limit: newValue.sizeLimit) }
            startUpkeep()
        }
    }

    /// Makes the cache folder, which must succeed before anything can be stored or read, and has it scanned
    /// in the background.
    package func prepare() throws(DiskStorageFailure) {
        try createDirectory()
        ready.store(true, ordering: .releasing)
        startUpkeep()
    }

    package var isReady: Bool { ready.load(ordering: .acquiring) }

    /// The path of the file that holds or would hold an entry.
    package func path(of name: EntryName) -> String {
        pathPrefix + name.rawValue
    }

    /// Whether an entry is there and not expired at `date`, without reading or extending it.
    ///
    /// A link in its place counts as there, whatever it points to: loading it tells what is wrong.
    package func isCached(_ name: EntryName, at date: Date? = nil) -> Bool {
        guard isReady else { return false }
        // Asked for first: when it is written meanwhile, the file tells.
        let access = pending.access(of: name)
        guard let status = try? fileSystem.status(of: path(of: name)) else { return false }
        switch status.kind {
        case .regular: return status.size > 0 && status.expiry(after: access) > date ?? clock.now
        case .symbolicLink: return true
        case .directory, .other: return false
        }
    }

    /// Whether there is certainly no entry, as far as that can be told without touching the disk; counts a
    /// miss then. May be wrong for a moment after another process has stored one: see `NameFilter`.
    package func rulesOut(_ name: EntryName) -> Bool {
        guard isReady else { return false }
        guard names.rulesOut(name.digest) else {
            if names.wantsFill { startUpkeep() }
            return false
        }
        counts.misses.add(1, ordering: .relaxed)
        return true
    }

    /// Whether calls of `rulesOut` are answered from the names in the folder; starts a scan where that is
    /// due.
    package var knowsNames: Bool {
        if names.isReady { return true }
        if names.wantsFill { startUpkeep() }
        return false
    }

    /// Removes an entry; one that does not exist is removed already.
    package func remove(_ name: EntryName) throws(DiskStorageFailure) {
        let path = path(of: name)
        try locks.withLock(name.digest) { () throws(DiskStorageFailure) in
            pending.forget(name)
            do throws(SystemError) {
                try changeEntry(name, status: try? fileSystem.status(of: path)) { () throws(SystemError) in
                    try fileSystem.removeTree(path)
                    return nil
                }
            } catch {
                throw .cannotRemove(path: path, error)
            }
        }
    }

    /// Keeps the books of a change to an entry; in its lane only.
    ///
    /// - Parameters:
    ///   - status: What stands under the name so far; nil for nothing.
    ///   - body: Makes the change, and returns the size that the entry has then, or nil.
    func changeEntry(
        _ name: EntryName, status: FileStatus?, writing count: Int = 0, _ body: () throws(SystemError) -> Int?
    ) throws(SystemError) {
        let old = status.flatMap { $0.kind == .directory ? nil : $0.size }
        books.withLock { $0.tally.beginChange(of: name.digest, from: old) }
        do throws(SystemError) {
            let new = try body()
            books.withLock { $0.tally.endChange(of: name.digest, to: new, writing: count) }
            if new == nil { names.noteRemoval() }
        } catch {
            books.withLock { $0.tally.endChange(of: name.digest, to: old) }
            throw error
        }
    }

    func makeFolders() throws(SystemError) {
        folderNames.withLock { $0.beginMaking() }
        defer { folderNames.withLock { $0.endMaking() } }
        try fileSystem.makeFolders(directory)
        try fileSystem.refuseForeignLink(directory)
    }

    func createDirectory() throws(DiskStorageFailure) {
        do {
            try makeFolders()
        } catch {
            throw .cannotCreateDirectory(path: directory, error)
        }
    }
}

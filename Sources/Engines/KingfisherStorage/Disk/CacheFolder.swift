import Glibc
import Synchronization

/// A cache folder on the disk: its paths, its creation and its enumeration.
///
/// Enumeration takes no entry's lock, so entries may be added, changed and removed concurrently. A missing
/// folder counts as empty.
final class CacheFolder: Sendable {
    let directory: String
    let stagingDirectory: String
    let fileSystem: FileSystem
    private let pathPrefix: String
    private let modes: Mutex<Modes>
    private let durability = Mutex(NameDurability())
    private let ready = Atomic(false)

    private struct Modes: Sendable {
        var ofFolders: mode_t
        var ofFiles: mode_t
        /// Of the cache folder.
        var readBits: mode_t = 0
    }

    init(_ directory: String, _ fileSystem: FileSystem, _ settings: DiskSettings = DiskSettings()) {
        var directory = directory
        while directory.count > 1, directory.hasSuffix("/") { directory.removeLast() }
        self.directory = directory
        stagingDirectory = directory + DiskEngine.stagingSuffix
        pathPrefix = directory + "/"
        self.fileSystem = fileSystem
        modes = Mutex(Modes(ofFolders: settings.folderMode, ofFiles: settings.fileMode))
    }

    func apply(_ settings: DiskSettings) {
        modes.withLock { ($0.ofFolders, $0.ofFiles) = (settings.folderMode, settings.fileMode) }
    }

    /// Permissions of new files. Who may read the folder may read its files.
    var fileMode: mode_t {
        modes.withLock { FileSystem.privateMode | ($0.ofFiles & 0o666) | $0.readBits }
    }

    var isReady: Bool { ready.load(ordering: .acquiring) }

    func path(of name: EntryName) -> String { pathPrefix + name.rawValue }

    func path(ofFile name: String) -> String { pathPrefix + name }

    /// Returns whether the folder was made, and is empty.
    @discardableResult
    func prepare() throws(DiskStorageFailure) -> Bool {
        let isNew = try create()
        ready.store(true, ordering: .releasing)
        return isNew
    }

    @discardableResult
    func create() throws(DiskStorageFailure) -> Bool {
        do {
            return try make()
        } catch {
            throw .cannotCreateDirectory(path: directory, error)
        }
    }

    @discardableResult
    func make() throws(SystemError) -> Bool {
        durability.withLock { $0.beginCreatingFolder() }
        defer { durability.withLock { $0.endCreatingFolder() } }
        let mode = 0o700 | (modes.withLock(\.ofFolders) & 0o777)
        let isNew = try fileSystem.makeFolders(directory, mode: mode)
        let readBits = try fileSystem.statusOfCacheFolder(directory).permissions & 0o444
        modes.withLock { $0.readBits = readBits }
        return isNew
    }

    // MARK: - Entries

    /// Costs one `stat` per entry. Hidden files and folders are not entries.
    func forEachEntry(
        pause: () -> Void = {}, _ body: (ScannedEntry) -> Void
    ) throws(DiskStorageFailure) {
        try forEachName(pause: pause) { entry, folder in
            guard let string = entry.possibleEntry else { return }
            let name = EntryName(checked: string)
            do throws(SystemError) {
                let status = try fileSystem.status(of: entry.name, in: folder)
                if status.kind != .directory { body(ScannedEntry(name: name, status: status)) }
            } catch  where error.code == ENOENT {
                // Removed since the name was read.
            } catch {
                body(ScannedEntry(name: name, status: nil))
            }
        }
    }

    func forEachName(
        pause: () -> Void = {}, _ body: (FolderEntry, _ folder: CInt) -> Void
    ) throws(DiskStorageFailure) {
        guard let folder = try open() else { return }
        let descriptor = folder.raw
        do {
            try fileSystem.forEachEntry(of: folder, pause: pause) { body($0, descriptor) }
        } catch {
            throw .cannotEnumerate(path: directory, error)
        }
    }

    private func open() throws(DiskStorageFailure) -> FileDescriptor? {
        do {
            return try fileSystem.openCacheFolder(directory)
        } catch {
            if [ENOENT, ENOTDIR].contains(error.code) { return nil }
            throw .cannotEnumerate(path: directory, error)
        }
    }

    // MARK: - Durability

    /// Makes the name of a new entry, and the names of the folders above it, survive a power failure. If that
    /// fails, the entry stays in place and may be lost.
    func sync(for path: String) throws(DiskStorageFailure) {
        let due = durability.withLock(\.due)
        do throws(SystemError) {
            try fileSystem.sync(try fileSystem.openFolder(directory, followingLinks: true))
            guard let due else { return }
            try syncNamesAbove()
            durability.withLock { $0.noteSync(due) }
        } catch {
            throw .cannotCreateFile(path: path, error)
        }
    }

    /// Syncs every folder above the cache folder, because another process may just have made one of them. If
    /// the path contains a link, syncs both the folders above the link and those above its target.
    private func syncNamesAbove() throws(SystemError) {
        try syncNames(above: directory)
        let resolved = try fileSystem.resolve(directory)
        if let resolved, resolved != directory { try syncNames(above: resolved) }
    }

    private func syncNames(above directory: String) throws(SystemError) {
        let device = try fileSystem.status(of: directory, followingLinks: true).device
        var path = directory
        while path != "/" {
            path = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
            if path.isEmpty { path = "/" }
            guard try fileSystem.status(of: path, followingLinks: true).device == device else { return }
            do {
                try fileSystem.sync(try fileSystem.openFolder(path, followingLinks: true))
            } catch  where error.code == EACCES {
                // A process that may not list a folder has most likely not made a folder in it.
            }
        }
    }
}

extension FolderEntry {
    var possibleEntry: String? {
        isHidden || isKnownFolder ? nil : String(validatingCString: name)
    }
}

/// Whether the names of the cache folder and its parents are known to survive a power failure.
///
/// A sync counts only if no folder was made since it started, because other threads make folders
/// concurrently.
struct NameDurability: Sendable {
    private var generation = 0
    private var makers = 0
    private var isKnown = false

    /// The value to pass to `noteSync` after the names were synced; nil if no sync is needed.
    var due: Int? { isKnown ? nil : generation }

    mutating func beginCreatingFolder() {
        makers += 1
        isKnown = false
    }

    mutating func endCreatingFolder() {
        makers -= 1
        generation += 1
    }

    mutating func noteSync(_ generation: Int) {
        if generation == self.generation, makers == 0 { isKnown = true }
    }
}

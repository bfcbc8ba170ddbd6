import Glibc
import Synchronization

/// A cache folder on the disk: its paths, making it, and going through it.
///
/// Going through it takes no entry's lock: entries come, change and go meanwhile.
final class CacheFolder: Sendable {
    /// The absolute path.
    let directory: String
    /// Where unfinished files are, beside the folder.
    let stagingDirectory: String
    let fileSystem: FileSystem
    private let pathPrefix: String
    private let durability = Mutex(NameDurability())
    private let ready = Atomic(false)

    init(_ directory: String, _ fileSystem: FileSystem) {
        var directory = directory
        while directory.count > 1, directory.hasSuffix("/") { directory.removeLast() }
        self.directory = directory
        stagingDirectory = directory + DiskEngine.stagingSuffix
        pathPrefix = directory + "/"
        self.fileSystem = fileSystem
    }

    /// Whether the folder has been made once.
    var isReady: Bool { ready.load(ordering: .acquiring) }

    /// The path of the file that holds or would hold an entry.
    func path(of name: EntryName) -> String { pathPrefix + name.rawValue }

    func path(ofFile name: String) -> String { pathPrefix + name }

    /// Makes the folder, which is ready then.
    func prepare() throws(DiskStorageFailure) {
        try create()
        ready.store(true, ordering: .releasing)
    }

    func create() throws(DiskStorageFailure) {
        do {
            try make()
        } catch {
            throw .cannotCreateDirectory(path: directory, error)
        }
    }

    /// Makes the folder and those above it.
    func make() throws(SystemError) {
        durability.withLock { $0.beginCreatingFolder() }
        defer { durability.withLock { $0.endCreatingFolder() } }
        try fileSystem.makeFolders(directory)
        try fileSystem.refuseForeignLink(directory)
    }

    // MARK: - Entries

    /// Calls `body` with every entry, with one `stat` for each. A folder that does not exist counts as empty.
    /// Hidden files and folders are no entries.
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

    /// Calls `body` with every name in the folder, and with the open folder. One that does not exist counts
    /// as empty.
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

    /// The open folder, or nil where there is none.
    private func open() throws(DiskStorageFailure) -> FileDescriptor? {
        do {
            try fileSystem.refuseForeignLink(directory)
            return try fileSystem.openFolder(directory, followingLinks: true)
        } catch {
            if [ENOENT, ENOTDIR].contains(error.code) { return nil }
            throw .cannotEnumerate(path: directory, error)
        }
    }

    // MARK: - Durability

    /// Makes the new name of an entry survive a power cut, and the names of the folders above with it. Where
    /// that fails, the entry stays in place and may be lost.
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

    /// Syncs every folder above the cache folder: another process may have made any of them a moment ago.
    ///
    /// Where the path leads through a link, those above the link's target, and those above the link.
    private func syncNamesAbove() throws(SystemError) {
        try syncNames(above: directory)
        let resolved = try fileSystem.resolve(directory)
        if let resolved, resolved != directory { try syncNames(above: resolved) }
    }

    /// Syncs every folder that a path names above its last, up to where its file system begins.
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
                // A process that may not list a folder has most likely made no folder in it.
            }
        }
    }
}

extension FolderEntry {
    /// The name, unless it cannot be an entry's: hidden, a folder's, or not UTF-8.
    var possibleEntry: String? {
        isHidden || isKnownFolder ? nil : String(validatingCString: name)
    }
}

/// Whether the names of the cache folder and of those above it are known to survive a power cut.
///
/// A sync counts only if no folder was made since it began: other threads make folders at the same time.
struct NameDurability: Sendable {
    private var generation = 0
    private var makers = 0
    private var isKnown = false

    /// What to pass to `noteSync` after the names were synced; nil where that need not be done.
    var due: Int? { isKnown ? nil : generation }

    /// Says that folders are about to be made; `endCreatingFolder` ends that.
    mutating func beginCreatingFolder() {
        makers += 1
        isKnown = false
    }

    mutating func endCreatingFolder() {
        makers -= 1
        generation += 1
    }

    /// - Parameter generation: What was due before the first sync.
    mutating func noteSync(_ generation: Int) {
        if generation == self.generation, makers == 0 { isKnown = true }
    }
}

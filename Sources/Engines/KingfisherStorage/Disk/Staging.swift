import Glibc
import Synchronization

/// The folder beside a cache folder in which files are written before they are moved into it. It is opened,
/// and made if it is missing, when it is first needed. Safe from any thread.
///
/// Another user may have made a folder of that name, or a link: only a folder of this user to which no other
/// may write is used.
final class Staging: Sendable {
    let fileSystem: FileSystem
    private let folder: CacheFolder
    private let opened = Mutex<OpenFolder?>(nil)
    /// Set if the folder is on another file system, from which files cannot be moved.
    private let isElsewhere = Atomic(false)

    init(of folder: CacheFolder) {
        self.folder = folder
        fileSystem = folder.fileSystem
    }

    /// Nil if there is no such folder and none can be made, or if another user may write to it.
    func open() throws(DiskStorageFailure) -> OpenFolder? {
        guard !isElsewhere.load(ordering: .relaxed) else { return nil }
        if let opened = opened.withLock({ $0 }) { return opened }
        guard let made = try make() else { return nil }
        opened.withLock { $0 = made }
        return made
    }

    func openIfPresent() -> OpenFolder? {
        guard let opened = try? fileSystem.openFolder(folder.stagingDirectory, followingLinks: false),
            let status = try? fileSystem.status(of: opened), fileSystem.isPrivate(status)
        else { return nil }
        return OpenFolder(opened)
    }

    /// The next call of `open` opens the folder again, because another process has deleted this one.
    func forget(_ folder: OpenFolder) { opened.withLock { if $0 === folder { $0 = nil } } }

    func noteElsewhere() { isElsewhere.store(true, ordering: .relaxed) }

    private func make() throws(DiskStorageFailure) -> OpenFolder? {
        if let opened = openIfPresent() { return opened }
        let directory = folder.stagingDirectory
        do {
            try fileSystem.makeFolder(directory, mode: 0o700)
        } catch  where error.code == ENOENT {
            try folder.create()
            try? fileSystem.makeFolder(directory, mode: 0o700)
        } catch {
            // It exists or is not permitted; the next call tells.
        }
        return openIfPresent()
    }
}

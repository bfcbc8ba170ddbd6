package import Foundation
import Glibc
import Synchronization

/// A disk cache of byte strings: one file per entry in a flat folder that holds nothing else.
///
/// The content of a file is the payload. Its modification time is the expiry, its access time the last use,
/// and an extended attribute (`EntryAttribute`) carries length, checksum and lifetime; no index exists, so
/// that several processes can share a folder and nothing needs repair after a crash. A file appears under its
/// name only when it is whole. Symbolic links are never followed.
///
/// Safe to use from any thread. Every call does its file work before it returns, on the caller's thread.
/// Operations on one name happen one after another, those on different names side by side; `removeAll`, the
/// sweeps and `totalSize` wait for all others and exclude them.
package final class DiskEngine: Sendable {
    /// The absolute path of the cache folder.
    package let directory: String
    let stagingDirectory: String
    let fileSystem: FileSystem
    let clock: any StorageClock
    let lanes = KeyLanes()
    /// Set once the sibling folder proved to be on another file system, where nothing can be renamed from.
    let stagesInside = Atomic(false)
    private let ready = Atomic(false)

    /// Makes an engine that touches no file yet and is not ready before `prepare()`.
    package init(
        directory: String, fileSystem: FileSystem = FileSystem(), clock: any StorageClock = WallClock()
    ) {
        var directory = directory
        while directory.count > 1, directory.hasSuffix("/") { directory.removeLast() }
        self.directory = directory
        self.stagingDirectory = directory + ".staging"
        self.fileSystem = fileSystem
        self.clock = clock
    }

    /// Makes the cache folder, which must succeed before anything can be stored or read.
    package func prepare() throws(DiskStorageFailure) {
        try createDirectory()
        ready.store(true, ordering: .releasing)
    }

    package var isReady: Bool { ready.load(ordering: .acquiring) }

    /// The path of the file that holds or would hold an entry.
    package func path(of name: EntryName) -> String {
        directory + "/" + name.rawValue
    }

    /// Whether an entry is there and not expired at `date`, without reading or extending it.
    ///
    /// A link in its place counts as there, whatever it points to: loading it tells what is wrong.
    package func isCached(_ name: EntryName, at date: Date? = nil) -> Bool {
        guard isReady, let status = try? fileSystem.status(of: path(of: name)) else { return false }
        switch status.kind {
        case .regular: return status.size > 0 && status.modified > date ?? clock.now
        case .symbolicLink: return true
        case .directory, .other: return false
        }
    }

    /// Removes an entry; one that does not exist is removed already.
    package func remove(_ name: EntryName) throws(DiskStorageFailure) {
        let path = path(of: name)
        try lanes.withLane(of: name) { () throws(DiskStorageFailure) in
            do throws(SystemError) {
                try fileSystem.removeTree(path)
            } catch {
                throw .cannotRemove(path: path, error)
            }
        }
    }

    func createDirectory() throws(DiskStorageFailure) {
        do {
            try fileSystem.makeFolders(directory)
        } catch {
            throw .cannotCreateDirectory(path: directory, error)
        }
    }
}

import Foundation
import Glibc
import Synchronization

extension DiskEngine {
    /// Has the new name of an entry outlive a power cut, and with it the folders that it is in. The entry
    /// stays in place when this fails, with nobody's promise.
    func syncFolders(for path: String) throws(DiskStorageFailure) {
        let due = folderNames.withLock(\.due)
        do throws(SystemError) {
            try fileSystem.sync(try fileSystem.openFolder(directory, followingLinks: true))
            guard let due else { return }
            try syncNamesAbove()
            folderNames.withLock { $0.noteSync(due) }
        } catch {
            throw .cannotCreateFile(path: path, error)
        }
    }

    /// Syncs every folder above the cache folder: any of them may have been made a moment ago, by whomever.
    ///
    /// Where the path leads through a link, those above what the link leads to, and those above the link.
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
                // Who may not list a folder has hardly made one in it.
            }
        }
    }
}

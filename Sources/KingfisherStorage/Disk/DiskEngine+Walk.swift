import Foundation
import Glibc
import KingfisherConcurrency

/// Going through the folder. It holds no lane: entries come, change and go meanwhile.
extension DiskEngine {
    /// The cache folder, or nil where there is none.
    func openDirectory() throws(DiskStorageFailure) -> FileDescriptor? {
        do {
            try fileSystem.refuseForeignLink(directory)
            return try fileSystem.openFolder(directory, followingLinks: true)
        } catch {
            if [ENOENT, ENOTDIR].contains(error.code) { return nil }
            throw .cannotEnumerate(path: directory, error)
        }
    }

    /// Calls `body` with every entry, with one `stat` for each. A folder that does not exist counts as empty.
    /// Hidden files and folders are no entries.
    func forEachEntry(
        pause: () -> Void = {}, _ body: (ScannedEntry) -> Void
    ) throws(DiskStorageFailure) {
        guard let folder = try openDirectory() else { return }
        let descriptor = folder.raw
        try enumerate(folder, pause: pause) { entry in
            // A name that is not UTF-8 was not made here.
            guard !entry.isHidden, !entry.isKnownFolder, let string = String(validatingCString: entry.name)
            else {
                return
            }
            let name = EntryName(checked: string)
            do throws(SystemError) {
                let status = try fileSystem.status(of: entry.name, in: descriptor)
                if status.kind != .directory { body(ScannedEntry(name: name, status: status)) }
            } catch  where error.code == ENOENT {
                // Removed since the name was read.
            } catch {
                body(ScannedEntry(name: name, status: nil))
            }
        }
    }

    func enumerate(
        _ folder: borrowing FileDescriptor, pause: () -> Void = {}, _ body: (FolderEntry) -> Void
    ) throws(DiskStorageFailure) {
        do {
            try fileSystem.forEachEntry(of: folder, pause: pause, body)
        } catch {
            throw .cannotEnumerate(path: directory, error)
        }
    }

    /// Removes an entry if it is still what somebody wants to be rid of, and returns whether it did.
    ///
    /// - Parameter isVictim: Decides in the entry's lane, given what stands there now (nil where that cannot
    ///   be told) and an access that waits.
    func remove(
        _ name: EntryName, ifStill isVictim: (FileStatus?, PendingAccesses.Access?) -> Bool
    ) throws(DiskStorageFailure) -> Bool {
        let path = path(of: name)
        return try locks.withLock(name.digest) { () throws(DiskStorageFailure) in
            do throws(SystemError) {
                var status: FileStatus?
                do throws(SystemError) {
                    status = try fileSystem.status(of: path)
                } catch  where error.code != ENOENT {
                    // What cannot even be looked at goes, if that is possible.
                }
                guard status?.kind != .directory, isVictim(status, pending.access(of: name)) else {
                    return false
                }
                try changeEntry(name, status: status) { () throws(SystemError) in
                    try fileSystem.unlink(path)
                    return nil
                }
                pending.forget(name)
                return true
            } catch  where error.code == ENOENT {
                // Another process was quicker, and will tell.
                return false
            } catch {
                throw .cannotRemove(path: path, error)
            }
        }
    }
}

// MARK: - Leftovers

extension DiskEngine {
    /// Writing takes far less; what is older was left by somebody. In seconds.
    static var leftoverAge: TimeInterval { 3_600 }

    /// Removes unfinished files whose process is gone, and old ones, as far as possible. What has another
    /// name was not made here and stays, wherever it lies.
    func removeLeftovers(pause: () -> Void = {}) {
        if let folder = try? fileSystem.openFolder(stagingDirectory, followingLinks: false) {
            removeLeftovers(in: folder, pause: pause) { StagingName($0) }
        }
        if let folder = try? fileSystem.openFolder(directory, followingLinks: true) {
            removeLeftovers(in: folder, pause: pause) { name in
                let prefix = StagingFolder.hiddenPrefix
                return name.hasPrefix(prefix) ? StagingName(name.dropFirst(prefix.count)) : nil
            }
        }
    }

    /// - Parameter stagingName: The name as it was made, or nil for what was not made here.
    private func removeLeftovers(
        in folder: borrowing FileDescriptor, pause: () -> Void, _ stagingName: (String) -> StagingName?
    ) {
        let descriptor = folder.raw
        let youngest = clock.now.addingTimeInterval(-Self.leftoverAge)
        // The next sweep tries again what fails here.
        try? fileSystem.forEachEntry(of: folder, pause: pause) { entry in
            guard let name = stagingName(String(cString: entry.name)) else { return }
            if !name.isOrphan {
                guard let status = try? fileSystem.status(of: entry.name, in: descriptor),
                    status.changed < youngest
                else { return }
            }
            try? fileSystem.removeTree(entry.name, in: descriptor)
        }
    }
}

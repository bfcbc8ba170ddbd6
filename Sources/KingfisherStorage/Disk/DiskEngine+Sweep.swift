package import Foundation
import Glibc

/// Operations over the whole folder. Each is a barrier: nothing else runs in this engine meanwhile.
///
/// They take one `stat` per file. A folder that does not exist counts as empty. Hidden files and folders are
/// no entries and are left alone, except by `removeAll`.
extension DiskEngine {
    /// The sum of the payloads' sizes in bytes.
    package func totalSize() throws(DiskStorageFailure) -> UInt64 {
        try lanes.withBarrier { () throws(DiskStorageFailure) in
            var total: UInt64 = 0
            try forEachEntry { total += UInt64($0.status?.size ?? 0) }
            return total
        }
    }

    /// Removes what expired before or at a date, and returns the names of the files removed.
    ///
    /// A file whose metadata cannot be read counts as expired. Unfinished files that a killed process left
    /// are swept, too. Goes through the whole folder before it throws the first failure.
    package func removeExpired(at date: Date? = nil) throws(DiskStorageFailure) -> [String] {
        let date = date ?? clock.now
        return try lanes.withBarrier { () throws(DiskStorageFailure) in
            var expired: [String] = []
            try forEachEntry { entry in
                if entry.status.map({ $0.modified <= date }) ?? true { expired.append(entry.name) }
            }
            removeLeftovers()
            return try unlink(expired)
        }
    }

    /// When the entries exceed a limit in bytes, removes the least recently used until half of it is left.
    ///
    /// - Parameter limit: zero means no limit.
    /// - Returns: the names of the files removed, the one unused for longest first.
    package func removeSizeExceeded(limit: UInt64) throws(DiskStorageFailure) -> [String] {
        guard limit > 0 else { return [] }
        return try lanes.withBarrier { () throws(DiskStorageFailure) in
            var entries: [(name: String, size: UInt64, accessed: Date)] = []
            var total: UInt64 = 0
            try forEachEntry { entry in
                guard let status = entry.status else { return }
                entries.append((entry.name, UInt64(status.size), status.accessed))
                total += UInt64(status.size)
            }
            guard total >= limit else { return [] }
            entries.sort { ($0.accessed, $0.name) < ($1.accessed, $1.name) }
            var victims: [String] = []
            for entry in entries where total > limit / 2 {
                victims.append(entry.name)
                total -= entry.size
            }
            return try unlink(victims)
        }
    }

    /// Empties the cache folder, or makes it where it is missing, and so makes the storage ready.
    ///
    /// Goes through the whole folder before it throws the first failure.
    package func removeAll() throws(DiskStorageFailure) {
        try lanes.withBarrier { () throws(DiskStorageFailure) in
            removeLeftovers()
            if let folder = try openDirectory() {
                try removeContents(of: folder)
            }
            try prepare()
        }
    }
}

// MARK: - Walking

extension DiskEngine {
    private struct ScannedEntry {
        let name: String
        /// Nil when the file is there and its metadata cannot be read.
        let status: FileStatus?
    }

    /// The cache folder, or nil where there is none.
    private func openDirectory() throws(DiskStorageFailure) -> FileDescriptor? {
        do {
            return try fileSystem.openFolder(directory, followingLinks: true)
        } catch {
            if [ENOENT, ENOTDIR].contains(error.code) { return nil }
            throw .cannotEnumerate(path: directory, error)
        }
    }

    private func forEachEntry(_ body: (ScannedEntry) -> Void) throws(DiskStorageFailure) {
        guard let folder = try openDirectory() else { return }
        let descriptor = folder.raw
        try enumerate(folder) { entry in
            // A name that is not UTF-8 was not made here.
            guard !entry.isHidden, !entry.isKnownFolder, let name = String(validatingCString: entry.name)
            else {
                return
            }
            do throws(SystemError) {
                let status = try fileSystem.status(of: entry.name, in: descriptor)
                if status.kind != .directory { body(ScannedEntry(name: name, status: status)) }
            } catch  where error.code == ENOENT {
                // Removed by another process since the name was read.
            } catch {
                body(ScannedEntry(name: name, status: nil))
            }
        }
    }

    private func enumerate(
        _ folder: borrowing FileDescriptor, _ body: (FolderEntry) -> Void
    ) throws(DiskStorageFailure) {
        do {
            try fileSystem.forEachEntry(of: folder, body)
        } catch {
            throw .cannotEnumerate(path: directory, error)
        }
    }

    /// Removes files and returns the names of those that were there.
    private func unlink(_ names: [String]) throws(DiskStorageFailure) -> [String] {
        var removed: [String] = []
        var firstFailure: DiskStorageFailure?
        for name in names {
            let path = directory + "/" + name
            do {
                try fileSystem.unlink(path)
                removed.append(name)
            } catch  where error.code == ENOENT {
                // Another process was quicker, and will tell.
            } catch {
                firstFailure = firstFailure ?? .cannotRemove(path: path, error)
            }
        }
        if let firstFailure { throw firstFailure }
        return removed
    }

    private func removeContents(of folder: borrowing FileDescriptor) throws(DiskStorageFailure) {
        let descriptor = folder.raw
        var firstFailure: DiskStorageFailure?
        try enumerate(folder) { entry in
            // What another process is writing at this moment stays; leftovers are gone already.
            if String(cString: entry.name).hasPrefix(StagingFolder.hiddenPrefix) { return }
            do throws(SystemError) {
                try fileSystem.removeTree(entry.name, in: descriptor)
            } catch {
                let path = directory + "/" + String(cString: entry.name)
                firstFailure = firstFailure ?? .cannotRemove(path: path, error)
            }
        }
        if let firstFailure { throw firstFailure }
    }
}

// MARK: - Leftovers

extension DiskEngine {
    /// Writing takes far less; what is older was left by a killed process. In seconds.
    static var leftoverAge: TimeInterval { 3_600 }

    /// Removes old files from the staging folder and staged ones from the cache folder, as far as possible.
    private func removeLeftovers() {
        if let folder = try? fileSystem.openFolder(stagingDirectory, followingLinks: false) {
            removeLeftovers(in: folder) { _ in true }
        }
        if let folder = try? fileSystem.openFolder(directory, followingLinks: true) {
            removeLeftovers(in: folder) { $0.hasPrefix(StagingFolder.hiddenPrefix) }
        }
    }

    private func removeLeftovers(in folder: borrowing FileDescriptor, where isStaged: (String) -> Bool) {
        let descriptor = folder.raw
        let youngest = clock.now.addingTimeInterval(-Self.leftoverAge)
        // The next sweep tries again what fails here.
        try? fileSystem.forEachEntry(of: folder) { entry in
            guard isStaged(String(cString: entry.name)),
                let status = try? fileSystem.status(of: entry.name, in: descriptor), status.changed < youngest
            else { return }
            try? fileSystem.removeTree(entry.name, in: descriptor)
        }
    }
}

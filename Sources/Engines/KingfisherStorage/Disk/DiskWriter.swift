import Foundation
import Glibc
import Synchronization

final class DiskWriter: Sendable {
    private let folder: CacheFolder
    private let fileSystem: FileSystem
    private let accounting: FolderAccounting
    private let reader: DiskReader
    private let upkeep: DiskUpkeep
    private let clock: any StorageClock
    private let staging: Staging

    init(
        _ folder: CacheFolder, _ staging: Staging, _ accounting: FolderAccounting, _ reader: DiskReader,
        _ upkeep: DiskUpkeep, clock: any StorageClock
    ) {
        fileSystem = folder.fileSystem
        self.staging = staging
        (self.folder, self.accounting, self.clock) = (folder, accounting, clock)
        (self.reader, self.upkeep) = (reader, upkeep)
    }

    func store(
        _ payload: Data, for name: EntryName, expiration: StorageExpiration, replacing: Bool,
        records: [EntryRecord], syncing isSynced: Bool
    ) throws(DiskStorageFailure) {
        let now = clock.now
        guard !expiration.isExpired(at: now) else { return }
        let hasToHelp = accounting.beginStore(of: payload.count)
        defer {
            accounting.endStore(of: payload.count)
            // Also after an error: helping may have left work to do.
            upkeep.start()
        }
        if hasToHelp { upkeep.makeRoom() }
        let expires = expiration.estimatedExpirationSince(now)
        let checksum = Checksum.of(payload)
        // The owner of the data may have changed it, which does not change the file.
        let mapping = FileMapping.of(payload).flatMap { $0.wholeBody?.checksum == checksum ? $0 : nil }
        // The checksum has read all of it. Many bodies wait for memory to be decoded, stored already.
        mapping?.releasePages()
        let attribute = EntryAttribute(
            payloadLength: UInt64(payload.count), checksum: checksum,
            storedAt: now, lifetime: EntryAttribute.Lifetime(from: now, to: expires), records: records)
        let entry = NewEntry(
            name: name, payload: payload, body: mapping?.wholeBody, attribute: attribute, expires: expires,
            path: folder.path(of: name), isSynced: isSynced)
        try accounting.withLock(of: name) { () throws(DiskStorageFailure) in
            if !replacing, reader.isCached(name, at: nil) {
                throw .cannotCreateFile(
                    path: entry.path, SystemError(.rename, code: EEXIST, path: entry.path))
            }
            try place(entry)
            if entry.isSynced { try folder.sync(for: entry.path) }
        }
    }

    func remove(_ name: EntryName) throws(DiskStorageFailure) {
        let path = folder.path(of: name)
        try accounting.withLock(of: name) { () throws(DiskStorageFailure) in
            do throws(SystemError) {
                let status = try? fileSystem.status(of: path)
                try accounting.remove(name, old: status) { () throws(SystemError) in
                    try fileSystem.removeTree(path)
                }
            } catch {
                throw .cannotRemove(path: path, error)
            }
        }
    }

    private struct NewEntry {
        let name: EntryName
        let payload: Data
        /// The file that has the payload already.
        let body: BodyFile?
        let attribute: EntryAttribute
        let expires: Date
        let path: String
        let isSynced: Bool
    }

    private enum Placing { case done, folderIsMissing, folderIsUnusable }

    // MARK: - Placing files

    private func place(_ entry: NewEntry) throws(DiskStorageFailure) {
        // Two attempts, because another process may have deleted the staging folder after it was opened.
        for _ in 0..<2 {
            guard let sibling = try staging.open() else { break }
            switch try place(entry, from: StagingFolder(sibling: sibling)) {
            case .done: return
            case .folderIsMissing: staging.forget(sibling)
            case .folderIsUnusable:
                _ = try place(entry, from: StagingFolder(inside: folder.directory))
                return
            }
        }
        _ = try place(entry, from: StagingFolder(inside: folder.directory))
    }

    private func place(
        _ entry: NewEntry, from place: StagingFolder
    ) throws(DiskStorageFailure) -> Placing {
        let temporary = place.makeName()
        let parent = place.descriptor
        let file: FileDescriptor
        var isFilled = false
        do {
            if let body = entry.body?.take(as: temporary, in: parent) {
                file = body
                isFilled = true
            } else {
                file = try create(temporary, in: parent)
            }
        } catch {
            if parent != AT_FDCWD, error.code == ENOENT { return .folderIsMissing }
            if parent != AT_FDCWD, [EACCES, EPERM, EROFS].contains(error.code) { return .folderIsUnusable }
            throw .cannotCreateFile(path: entry.path, error)
        }
        do throws(DiskStorageFailure) {
            if !isFilled { try write(entry, to: file) }
            let written = try finish(file, entry)
            try moveIntoPlace(temporary, written, entry, place)
            return .done
        } catch {
            try? fileSystem.unlink(temporary, in: parent)
            if case .cannotCreateFile(_, let cause) = error, cause.call == .rename, cause.code == EXDEV,
                parent != AT_FDCWD
            {
                staging.noteElsewhere()
                return .folderIsUnusable
            }
            throw error
        }
    }

    private func create(_ temporary: String, in parent: CInt) throws(SystemError) -> FileDescriptor {
        do {
            return try fileSystem.create(temporary, in: parent)
        } catch {
            guard error.code == ENOENT, parent == AT_FDCWD else { throw error }
            try folder.make()
            return try fileSystem.create(temporary, in: parent)
        }
    }

    private func write(
        _ entry: NewEntry, to file: borrowing FileDescriptor
    ) throws(DiskStorageFailure) {
        do throws(SystemError) {
            try fileSystem.write(entry.payload, to: file)
        } catch {
            throw .cannotCreateFile(path: entry.path, error)
        }
    }

    private func finish(
        _ file: consuming FileDescriptor, _ entry: NewEntry
    ) throws(DiskStorageFailure) -> FileStatus {
        do throws(SystemError) {
            try setAttribute(entry.attribute, of: file)
            try fileSystem.setTimes(of: file, accessed: entry.attribute.storedAt, modified: entry.expires)
        } catch {
            throw .cannotSetAttribute(path: entry.path, error)
        }
        do throws(SystemError) {
            let status = try fileSystem.status(of: file)
            // Some file systems have no permissions.
            if status.permissions != folder.fileMode { try? fileSystem.setMode(folder.fileMode, of: file) }
            // Including times and attribute, which tell the expiry and whether the content is complete.
            if entry.isSynced { try fileSystem.sync(file) }
            try fileSystem.close(file)
            return status
        } catch {
            throw .cannotCreateFile(path: entry.path, error)
        }
    }

    /// Sets the attribute as far as the file system supports it. Without records, an entry is still verified;
    /// without an attribute, everything except the checksum works.
    private func setAttribute(
        _ attribute: EntryAttribute, of file: borrowing FileDescriptor
    ) throws(SystemError) {
        do {
            try fileSystem.setAttribute(EntryAttribute.name, attribute.encoded, of: file)
        } catch {
            switch error.code {
            case ENOTSUP, ENOSYS, EPERM, EACCES: return
            case ENOSPC, E2BIG, ERANGE:
                // File systems limit the size of attributes (ext4: one block). If the disk is full, the
                // smaller attribute also fails. What is private must stay so.
                var smaller = attribute
                smaller.records.removeAll { $0.kind != .isPrivate }
                guard smaller.records.count < attribute.records.count else { throw error }
                try setAttribute(smaller, of: file)
            default: throw error
            }
        }
    }

    private func moveIntoPlace(
        _ temporary: String, _ written: FileStatus, _ entry: NewEntry, _ staging: StagingFolder
    ) throws(DiskStorageFailure) {
        do throws(SystemError) {
            let old = try? fileSystem.status(of: entry.path)
            try accounting.write(entry.name, old: old, count: entry.payload.count) { () throws(SystemError) in
                try rename(temporary, to: entry, staging)
                try fileSystem.confirm(written, isNamed: entry.path)
            }
        } catch {
            if error.call == .makeDirectory { throw .cannotCreateDirectory(path: folder.directory, error) }
            throw .cannotCreateFile(path: entry.path, error)
        }
    }

    private func rename(
        _ temporary: String, to entry: NewEntry, _ staging: StagingFolder
    ) throws(SystemError) {
        let parent = staging.descriptor
        do {
            try fileSystem.rename(temporary, in: parent, to: entry.path)
        } catch {
            switch error.code {
            case ENOENT: try folder.make()
            case EISDIR:
                try fileSystem.rename(entry.path, in: AT_FDCWD, to: staging.makeName(), in: parent)
            default: throw error
            }
            try fileSystem.rename(temporary, in: parent, to: entry.path)
        }
    }
}

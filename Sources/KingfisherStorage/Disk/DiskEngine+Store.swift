package import Foundation
import Glibc
import KingfisherConcurrency
import Synchronization

extension DiskEngine {
    /// Stores a payload under a name, replacing what was there, a link or a folder included.
    ///
    /// The file is written beside the cache folder and renamed into it, so that no reader ever sees a part of
    /// it; when anything fails nothing is left behind and the old entry stays. Unless the settings say so it
    /// is not synced to the disk: what a power cut damages fails its checksum later. An expired lifetime
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
        let now = clock.now
        guard !expiration.isExpired(at: now) else { return }
        books.withLock { $0.incoming &+= payload.count }
        defer {
            books.withLock { $0.incoming &-= payload.count }
            // Whatever became of it: helping may have left something to do.
            startUpkeep()
        }
        makeRoom()
        let expires = expiration.estimatedExpirationSince(now)
        let attribute = EntryAttribute(
            payloadLength: UInt64(payload.count), checksum: Checksum.of(payload), storedAt: now,
            lifetime: EntryAttribute.Lifetime(from: now, to: expires), records: records)
        let entry = NewEntry(
            name: name, payload: payload, attribute: attribute, storedAt: now, expires: expires,
            path: path(of: name), isSynced: settings.syncsWrites)
        try locks.withLock(name.digest) { () throws(DiskStorageFailure) in
            if !replacing, isCached(name) {
                throw .cannotCreateFile(
                    path: entry.path, SystemError(.rename, code: EEXIST, path: entry.path))
            }
            try place(entry)
            if entry.isSynced { try syncFolders(for: entry.path) }
        }
    }

    private struct NewEntry {
        let name: EntryName
        let payload: Data
        let attribute: EntryAttribute
        let storedAt: Date
        let expires: Date
        let path: String
        let isSynced: Bool
    }

    private enum Placing { case done, folderIsGone, folderCannotServe }

    private func place(_ entry: NewEntry) throws(DiskStorageFailure) {
        // Twice, as somebody may have deleted the staging folder since it was opened.
        for _ in 0..<2 {
            guard let folder = try openStagingFolder() else { break }
            switch try place(entry, from: StagingFolder(sibling: folder)) {
            case .done: return
            case .folderIsGone: staging.withLock { if $0 === folder { $0 = nil } }
            case .folderCannotServe:
                _ = try place(entry, from: StagingFolder(inside: directory))
                return
            }
        }
        _ = try place(entry, from: StagingFolder(inside: directory))
    }

    /// The staging folder beside the cache folder, or nil where it cannot serve.
    private func openStagingFolder() throws(DiskStorageFailure) -> OpenFolder? {
        guard !stagesInside.load(ordering: .relaxed) else { return nil }
        if let folder = staging.withLock({ $0 }) { return folder }
        guard let folder = try makeStagingFolder() else { return nil }
        staging.withLock { $0 = folder }
        return folder
    }

    private func makeStagingFolder() throws(DiskStorageFailure) -> OpenFolder? {
        if let folder = try? fileSystem.openFolder(stagingDirectory, followingLinks: false) {
            return OpenFolder(folder)
        }
        do {
            try fileSystem.makeFolder(stagingDirectory, mode: 0o700)
        } catch  where error.code == ENOENT {
            try createDirectory()
            try? fileSystem.makeFolder(stagingDirectory, mode: 0o700)
        } catch {
            // Taken, or not allowed: opening it tells.
        }
        guard let folder = try? fileSystem.openFolder(stagingDirectory, followingLinks: false) else {
            return nil
        }
        return OpenFolder(folder)
    }

    /// Writes an entry and gives it its name, or tells why this staging folder does not do for that.
    private func place(
        _ entry: NewEntry, from staging: StagingFolder
    ) throws(DiskStorageFailure) -> Placing {
        let temporary = staging.makeName()
        let folder = staging.descriptor
        let file: FileDescriptor
        do {
            file = try create(temporary, in: folder)
        } catch {
            if folder != AT_FDCWD, error.code == ENOENT { return .folderIsGone }
            if folder != AT_FDCWD, [EACCES, EPERM, EROFS].contains(error.code) { return .folderCannotServe }
            throw .cannotCreateFile(path: entry.path, error)
        }
        do throws(DiskStorageFailure) {
            try fill(file, with: entry)
            try moveIntoPlace(temporary, entry, staging)
            return .done
        } catch {
            try? fileSystem.unlink(temporary, in: folder)
            if case .cannotCreateFile(_, let cause) = error, cause.call == .rename, cause.code == EXDEV,
                folder != AT_FDCWD
            {
                stagesInside.store(true, ordering: .relaxed)
                return .folderCannotServe
            }
            throw error
        }
    }

    private func create(_ temporary: String, in folder: CInt) throws(SystemError) -> FileDescriptor {
        do {
            return try fileSystem.create(temporary, in: folder)
        } catch {
            guard error.code == ENOENT, folder == AT_FDCWD else { throw error }
            try makeFolders()
            return try fileSystem.create(temporary, in: folder)
        }
    }

    private func fill(
        _ file: consuming FileDescriptor, with entry: NewEntry
    ) throws(DiskStorageFailure) {
        do throws(SystemError) {
            try write(entry.payload, to: file)
        } catch {
            throw .cannotCreateFile(path: entry.path, error)
        }
        do throws(SystemError) {
            try setAttribute(entry.attribute, of: file)
            try fileSystem.setTimes(of: file, accessed: entry.storedAt, modified: entry.expires)
        } catch {
            throw .cannotSetAttribute(path: entry.path, error)
        }
        do throws(SystemError) {
            // Times and attribute with it: they say how long the content is good for, and
            // whether it is whole.
            if entry.isSynced { try fileSystem.sync(file) }
            try fileSystem.close(file)
        } catch {
            throw .cannotCreateFile(path: entry.path, error)
        }
    }

    /// Gives a file its attribute as far as the file system takes it. Without its records an entry is still
    /// checked, without an attribute everything but the checksum works.
    private func setAttribute(
        _ attribute: EntryAttribute, of file: borrowing FileDescriptor
    ) throws(SystemError) {
        do {
            try fileSystem.setAttribute(EntryAttribute.name, attribute.encoded, of: file)
        } catch {
            switch error.code {
            case ENOTSUP, ENOSYS, EPERM, EACCES: return
            case ENOSPC, E2BIG, ERANGE:
                // File systems have their own limits on attributes, ext4 a block. A disk that is
                // full refuses the smaller one, too.
                guard !attribute.records.isEmpty else { throw error }
                var smaller = attribute
                smaller.records = []
                try setAttribute(smaller, of: file)
            default: throw error
            }
        }
    }

    private func write(_ payload: Data, to file: borrowing FileDescriptor) throws(SystemError) {
        var failure: SystemError?
        payload.withUnsafeBytes { bytes in
            do throws(SystemError) {
                try fileSystem.write(bytes, to: file)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// Renames a finished file, once again after removing what stood in the way.
    private func moveIntoPlace(
        _ temporary: String, _ entry: NewEntry, _ staging: StagingFolder
    ) throws(DiskStorageFailure) {
        do throws(SystemError) {
            let old = try? fileSystem.status(of: entry.path)
            names.insert(entry.name.digest)
            try changeEntry(entry.name, status: old, writing: entry.payload.count) { () throws(SystemError) in
                try rename(temporary, to: entry, staging)
                pending.forget(entry.name)
                return entry.payload.count
            }
        } catch {
            if error.call == .makeDirectory { throw .cannotCreateDirectory(path: directory, error) }
            throw .cannotCreateFile(path: entry.path, error)
        }
    }

    private func rename(
        _ temporary: String, to entry: NewEntry, _ staging: StagingFolder
    ) throws(SystemError) {
        let folder = staging.descriptor
        do {
            try fileSystem.rename(temporary, in: folder, to: entry.path)
        } catch {
            switch error.code {
            case ENOENT: try makeFolders()
            case EISDIR:
                try fileSystem.rename(entry.path, in: AT_FDCWD, to: staging.makeName(), in: folder)
            default: throw error
            }
            try fileSystem.rename(temporary, in: folder, to: entry.path)
        }
    }
}

package import Foundation
import Glibc
import Synchronization

extension DiskEngine {
    /// Stores a payload under a name, replacing what was there, a link or a folder included.
    ///
    /// The file is written beside the cache folder and renamed into it, so that no reader ever sees a part of
    /// it; when anything fails nothing is left behind and the old entry stays. It is not synced to the disk:
    /// what a power cut damages fails its checksum later. An expired lifetime stores nothing. A cache folder
    /// that has been deleted is made again.
    ///
    /// - Parameters:
    ///   - replacing: False fails with `EEXIST` when an entry is there that has not expired.
    ///   - records: What is to travel with the entry; lost where the file system has no attributes.
    /// - Throws: `notReady`, `cannotCreateDirectory`, `cannotCreateFile`, `cannotSetAttribute`.
    package func store(
        _ payload: Data, for name: EntryName, expiration: StorageExpiration, replacing: Bool = true,
        records: [EntryRecord] = []
    ) throws(DiskStorageFailure) {
        guard isReady else { throw .notReady(path: directory) }
        let now = clock.now
        guard !expiration.isExpired(at: now) else { return }
        let expires = expiration.estimatedExpirationSince(now)
        let attribute = EntryAttribute(
            payloadLength: UInt64(payload.count), checksum: Checksum.of(payload), storedAt: now,
            lifetime: EntryAttribute.Lifetime(from: now, to: expires), records: records)
        let entry = NewEntry(
            payload: payload, attribute: attribute.encoded, storedAt: now, expires: expires,
            path: path(of: name))
        try lanes.withLane(of: name) { () throws(DiskStorageFailure) in
            if !replacing, isCached(name) {
                throw .cannotCreateFile(
                    path: entry.path, SystemError(.rename, code: EEXIST, path: entry.path))
            }
            if let sibling = try openStagingFolder(), try place(entry, from: sibling) { return }
            _ = try place(entry, from: StagingFolder(inside: directory))
        }
    }

    private struct NewEntry {
        let payload: Data
        let attribute: [UInt8]
        let storedAt: Date
        let expires: Date
        let path: String
    }

    /// The staging folder beside the cache folder, or nil where it cannot serve.
    private func openStagingFolder() throws(DiskStorageFailure) -> StagingFolder? {
        guard !stagesInside.load(ordering: .relaxed) else { return nil }
        if let folder = try? fileSystem.openFolder(stagingDirectory, followingLinks: false) {
            return StagingFolder(sibling: folder)
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
        return StagingFolder(sibling: folder)
    }

    /// Writes an entry and gives it its name; false when this staging folder cannot serve and another must.
    private func place(
        _ entry: NewEntry, from staging: borrowing StagingFolder
    ) throws(DiskStorageFailure) -> Bool {
        let temporary = staging.makeName()
        let folder = staging.descriptor
        let file: FileDescriptor
        do {
            file = try create(temporary, in: folder)
        } catch {
            if folder != AT_FDCWD, [EACCES, EPERM, EROFS, ENOENT].contains(error.code) { return false }
            throw .cannotCreateFile(path: entry.path, error)
        }
        do throws(DiskStorageFailure) {
            try fill(file, with: entry)
            try moveIntoPlace(temporary, entry, staging)
            return true
        } catch {
            try? fileSystem.unlink(temporary, in: folder)
            if case .cannotCreateFile(_, let cause) = error, cause.call == .rename, cause.code == EXDEV,
                folder != AT_FDCWD
            {
                stagesInside.store(true, ordering: .relaxed)
                return false
            }
            throw error
        }
    }

    private func create(_ temporary: String, in folder: CInt) throws(SystemError) -> FileDescriptor {
        do {
            return try fileSystem.create(temporary, in: folder)
        } catch {
            guard error.code == ENOENT, folder == AT_FDCWD else { throw error }
            try fileSystem.makeFolders(directory)
            return try fileSystem.create(temporary, in: folder)
        }
    }

    private func fill(
        _ file: consuming FileDescriptor, with entry: NewEntry
    ) throws(DiskStorageFailure) {
        do {
            try write(entry.payload, to: file)
        } catch {
            throw .cannotCreateFile(path: entry.path, error)
        }
        do throws(SystemError) {
            do throws(SystemError) {
                try fileSystem.setAttribute(EntryAttribute.name, entry.attribute, of: file)
            } catch  where [ENOTSUP, ENOSYS].contains(error.code) {
                // The file system has no attributes: everything but the checksum works without.
            }
            try fileSystem.setTimes(of: file, accessed: entry.storedAt, modified: entry.expires)
        } catch {
            throw .cannotSetAttribute(path: entry.path, error)
        }
        do {
            try fileSystem.close(file)
        } catch {
            throw .cannotCreateFile(path: entry.path, error)
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
        _ temporary: String, _ entry: NewEntry, _ staging: borrowing StagingFolder
    ) throws(DiskStorageFailure) {
        let folder = staging.descriptor
        do {
            try fileSystem.rename(temporary, in: folder, to: entry.path)
        } catch {
            if error.code == ENOENT { try createDirectory() }
            do throws(SystemError) {
                switch error.code {
                case ENOENT: break
                case EISDIR:
                    try fileSystem.rename(entry.path, in: AT_FDCWD, to: staging.makeName(), in: folder)
                default: throw error
                }
                try fileSystem.rename(temporary, in: folder, to: entry.path)
            } catch {
                throw .cannotCreateFile(path: entry.path, error)
            }
        }
    }
}

package import Foundation
import Glibc

final class DiskReader: Sendable {
    /// Larger files are mapped, which costs less than copying them.
    static let largestRead = 256 << 10
    /// The delay in seconds before an access is written to the file, where other processes see it.
    private static let accessDelay: TimeInterval = 1

    private let folder: CacheFolder
    private let fileSystem: FileSystem
    private let accounting: FolderAccounting
    private let clock: any StorageClock
    private let background: BackgroundWork

    init(
        _ folder: CacheFolder, _ accounting: FolderAccounting, clock: any StorageClock,
        background: BackgroundWork
    ) {
        fileSystem = folder.fileSystem
        (self.folder, self.accounting) = (folder, accounting)
        (self.clock, self.background) = (clock, background)
    }

    func entry(
        for name: EntryName, extending: ExpirationExtending, verifying verifies: Bool
    ) throws(DiskStorageFailure) -> StoredEntry? {
        let path = folder.path(of: name)
        let entry = try accounting.withLock(of: name) { () throws(DiskStorageFailure) -> StoredEntry? in
            guard let file = try openEntry(path) else { return nil }
            return try load(file, name, path: path, extending: extending, verifying: verifies)
        }
        if entry == nil { accounting.noteMiss() } else { accounting.noteHit() }
        return entry
    }

    func open(
        _ name: EntryName, extending: ExpirationExtending, verifying verifies: Bool
    ) throws(DiskStorageFailure) -> OpenEntry? {
        let path = folder.path(of: name)
        let entry = try accounting.withLock(of: name) { () throws(DiskStorageFailure) -> OpenEntry? in
            guard let file = try openEntry(path), let found = try inspect(file, name, path: path) else {
                return nil
            }
            extend(name, file, found, extending)
            return OpenEntry(
                file, fileSystem, path: path, byteCount: found.status.size, storedAt: found.storedAt,
                checksum: found.reading.checksum, verifies: verifies, records: found.reading.records,
                discard: { [self, status = found.status] in
                    accounting.withLock(of: name) { discard(status, name, path: path) }
                })
        }
        if entry == nil { accounting.noteMiss() } else { accounting.noteHit() }
        return entry
    }

    func isCached(_ name: EntryName, at date: Date?) -> Bool {
        // Before the status: if the access is written in between, the status contains it.
        let access = accounting.access(of: name)
        guard let status = try? fileSystem.status(of: folder.path(of: name)) else { return false }
        guard !fileSystem.isForeign(status) else { return false }
        switch status.kind {
        case .regular: return status.size > 0 && status.expiry(after: access) > date ?? clock.now
        case .symbolicLink: return true
        case .directory, .other: return false
        }
    }

    func renew(_ name: EntryName, expiration: StorageExpiration, httpRecords: [EntryRecord]?) -> Bool {
        let now = clock.now
        guard !expiration.isExpired(at: now) else { return true }
        return accounting.withLock(of: name) {
            do {
                guard let file = try openEntry(folder.path(of: name)) else { return false }
                return try renew(
                    file, name, until: expiration.estimatedExpirationSince(now), httpRecords: httpRecords,
                    now: now)
            } catch {
                return false
            }
        }
    }

    private func renew(
        _ file: consuming FileDescriptor, _ name: EntryName, until expires: Date,
        httpRecords: [EntryRecord]?, now: Date
    ) throws(SystemError) -> Bool {
        let status = try fileSystem.status(of: file)
        let expiry = status.expiry(after: accounting.access(of: name))
        guard status.kind == .regular, !fileSystem.isForeign(status), status.size > 0, expiry > now else {
            return false
        }
        let reading = EntryAttribute.read(try fileSystem.attribute(EntryAttribute.name, of: file))
        guard reading.allows(length: status.size) else { return false }
        if case .valid(var attribute) = reading {
            attribute.storedAt = now
            if let httpRecords {
                attribute.records = httpRecords + attribute.records.filter { !$0.kind.isHTTP }
            }
            attribute.lifetime = EntryAttribute.Lifetime(from: now, to: expires)
            try fileSystem.setAttribute(EntryAttribute.name, attribute.encoded, of: file)
        }
        try fileSystem.setTimes(of: file, accessed: now, modified: expires)
        accounting.forgetAccess(of: name)
        return true
    }

    private func openEntry(_ path: String) throws(DiskStorageFailure) -> FileDescriptor? {
        do {
            return try fileSystem.openForReading(path)
        } catch {
            switch error.code {
            case ENOENT, ENOTDIR, ENXIO: return nil
            case EACCES where !isUnexpiredFile(path), ELOOP where isForeign(path): return nil
            default: throw .cannotLoad(path: path, error)
            }
        }
    }

    /// Distinguishes a file that may not be read from a folder that may not be entered.
    private func isUnexpiredFile(_ path: String) -> Bool {
        guard let status = try? fileSystem.status(of: path) else { return false }
        return status.kind == .regular && !fileSystem.isForeign(status) && status.modified > clock.now
    }

    private func isForeign(_ path: String) -> Bool {
        (try? fileSystem.status(of: path)).map(fileSystem.isForeign) ?? false
    }

    /// What is known about an open file before its content is read.
    private struct FoundFile {
        let status: FileStatus
        let reading: EntryAttribute.Reading
        let expiry: Date
        let now: Date

        var storedAt: Date? { reading.storedAt.map { min($0, now) } }
    }

    /// Nil for a file that is no valid entry or belongs to another user. A file of the wrong length is
    /// removed.
    private func inspect(
        _ file: borrowing FileDescriptor, _ name: EntryName, path: String
    ) throws(DiskStorageFailure) -> FoundFile? {
        let status: FileStatus
        do {
            status = try fileSystem.status(of: file)
        } catch {
            throw .invalidResource(path: path, error)
        }
        let now = clock.now
        let access = accounting.access(of: name)
        let expiry = status.expiry(after: access)
        guard status.kind == .regular, !fileSystem.isForeign(status), expiry > now else { return nil }
        do {
            let reading = try reading(of: file, status, access)
            guard status.size > 0, reading.allows(length: status.size) else {
                discard(status, name, path: path)
                return nil
            }
            return FoundFile(status: status, reading: reading, expiry: expiry, now: now)
        } catch {
            throw .cannotLoad(path: path, error)
        }
    }

    private func load(
        _ file: consuming FileDescriptor, _ name: EntryName, path: String, extending: ExpirationExtending,
        verifying verifies: Bool
    ) throws(DiskStorageFailure) -> StoredEntry? {
        guard let found = try inspect(file, name, path: path) else { return nil }
        do {
            guard let payload = try payload(of: file, found.status),
                !verifies || found.reading.allows(payload)
            else {
                discard(found.status, name, path: path)
                return nil
            }
            extend(name, file, found, extending)
            return StoredEntry(payload: payload, storedAt: found.storedAt, records: found.reading.records)
        } catch {
            throw .cannotLoad(path: path, error)
        }
    }

    private func reading(
        of file: borrowing FileDescriptor, _ status: FileStatus, _ access: PendingAccesses.Access?
    ) throws(SystemError) -> EntryAttribute.Reading {
        if let seen = access?.reading(of: status) { return seen }
        return EntryAttribute.read(try fileSystem.attribute(EntryAttribute.name, of: file))
    }

    private func payload(
        of file: borrowing FileDescriptor, _ status: FileStatus
    ) throws(SystemError) -> Data? {
        let count = status.size
        // A file that others may write could change after it was verified.
        if count > Self.largestRead, !status.isWritableByOthers {
            return try FileMapping(file, count: count, fileSystem).data
        }
        guard let room = malloc(count) else { throw SystemError(.read, code: ENOMEM, path: "") }
        do {
            let read = try fileSystem.read(
                into: UnsafeMutableRawBufferPointer(start: room, count: count), from: file)
            guard read == count else {
                free(room)
                return nil
            }
        } catch {
            free(room)
            throw error
        }
        // Only after the buffer is filled: `Data` copies a small buffer immediately and frees it.
        return Data(bytesNoCopy: room, count: count, deallocator: .free)
    }

    private func discard(_ corrupt: FileStatus, _ name: EntryName, path: String) {
        guard let current = try? fileSystem.status(of: path), current.isSameFile(as: corrupt) else { return }
        do throws(SystemError) {
            try accounting.remove(name, old: current) { () throws(SystemError) in
                try fileSystem.unlink(path)
            }
            accounting.noteCorruptEntry()
        } catch {
            // The load is a miss in any case. If the folder is read-only, the file stays.
        }
    }

    /// Notes the access and updates the expiry. An error here must not fail the read.
    private func extend(
        _ name: EntryName, _ file: borrowing FileDescriptor, _ found: FoundFile,
        _ extending: ExpirationExtending
    ) {
        let (status, reading, expiry, now) = (found.status, found.reading, found.expiry, found.now)
        switch extending {
        case .none:
            let latest = reading.latestExpiry(at: now).map { min(expiry, $0) } ?? expiry
            noteAccess(
                to: name, file, status, reading, expires: latest == status.modified ? nil : latest, now: now)
        case .cacheTime:
            let expires = reading.lifetime(of: status, now: now).expiration(since: now)
            noteAccess(to: name, file, status, reading, expires: expires, now: now)
        case .expirationTime(let lifetime):
            let expires = lifetime.estimatedExpirationSince(now)
            if case .valid(var attribute) = reading {
                attribute.lifetime = EntryAttribute.Lifetime(from: now, to: expires)
                try? fileSystem.setAttribute(EntryAttribute.name, attribute.encoded, of: file)
            }
            // Immediately, together with the attribute: the next access uses both.
            try? fileSystem.setTimes(of: file, accessed: now, modified: expires)
            accounting.forgetAccess(of: name)
        }
    }

    private func noteAccess(
        to name: EntryName, _ file: borrowing FileDescriptor, _ status: FileStatus,
        _ reading: EntryAttribute.Reading, expires: Date?, now: Date
    ) {
        let access = PendingAccesses.Access(
            device: status.device, inode: status.inode, modified: status.modified, accessed: now,
            expires: expires, attribute: CachedAttribute(reading, of: status, now: now))
        guard accounting.note(access, of: name) else {
            // Too many accesses are pending. An error here must not fail the read.
            try? fileSystem.setTimes(of: file, accessed: now, modified: expires)
            return
        }
        accounting.writeAccesses(after: Self.accessDelay, on: background)
    }
}

extension EntryAttribute.Reading {
    fileprivate func allows(length: Int) -> Bool {
        switch self {
        case .valid(let attribute): attribute.payloadLength == UInt64(length)
        case .unknown: true
        case .damaged: false
        }
    }

    fileprivate func allows(_ payload: Data) -> Bool {
        switch self {
        case .valid(let attribute): attribute.checksum == Checksum.of(payload)
        case .unknown: true
        case .damaged: false
        }
    }

    fileprivate var checksum: UInt64? {
        if case .valid(let attribute) = self { attribute.checksum } else { nil }
    }

    fileprivate var storedAt: Date? {
        if case .valid(let attribute) = self { attribute.storedAt } else { nil }
    }

    var records: [EntryRecord] {
        if case .valid(let attribute) = self { attribute.records } else { [] }
    }

    fileprivate func lifetime(of status: FileStatus, now: Date) -> EntryAttribute.Lifetime {
        if case .valid(let attribute) = self { return attribute.lifetime }
        return .seconds(status.modified.timeIntervalSince(min(status.accessed, now)))
    }

    /// The latest plausible expiry: the full lifetime from now. A later one was set before the clock was set
    /// back. The second is for file systems that round times.
    fileprivate func latestExpiry(at now: Date) -> Date? {
        guard case .valid(let attribute) = self, case .seconds = attribute.lifetime else { return nil }
        return attribute.lifetime.expiration(since: now).addingTimeInterval(1)
    }
}

package struct StoredEntry: Sendable, Equatable {
    package let payload: Data
    /// When the payload was stored; nil if the file has lost its attribute.
    package let storedAt: Date?
    package let records: [EntryRecord]

    package var tags: [String] { records.filter { $0.kind == .tag }.map(\.text) }
}

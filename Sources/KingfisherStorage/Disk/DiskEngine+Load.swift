package import Foundation
import Glibc
import KingfisherConcurrency
import Synchronization

extension DiskEngine {
    /// Files up to this size are read; above, mapping them costs less than copying.
    static var largestRead: Int { 256 << 10 }

    /// The payload of an entry, or nil when there is none, it expired, or it is damaged.
    ///
    /// Length and checksum are verified; a damaged or empty file is removed. A file that lost its attribute
    /// is served as it is. Reading notes the access and extends the lifetime: for this engine before it
    /// returns, for other processes about a second later or when this one ends by itself; where the file
    /// belongs to somebody else, that part is left out.
    ///
    /// - Throws: `notReady`, `cannotLoad` (also for a link in the entry's place, and when descriptors have
    ///   run out), `invalidResource`.
    package func data(
        for name: EntryName, extending: ExpirationExtending = .cacheTime
    ) throws(DiskStorageFailure) -> Data? {
        try entry(for: name, extending: extending)?.payload
    }

    /// An entry's payload together with what travels with it; see `data(for:extending:)`.
    package func entry(
        for name: EntryName, extending: ExpirationExtending = .cacheTime
    ) throws(DiskStorageFailure) -> StoredEntry? {
        guard isReady else { throw .notReady(path: directory) }
        let verifies = settings.verifiesChecksum
        let path = path(of: name)
        let entry = try locks.withLock(name.digest) { () throws(DiskStorageFailure) -> StoredEntry? in
            guard let file = try openEntry(path) else { return nil }
            return try load(file, name, path: path, extending: extending, verifying: verifies)
        }
        if entry == nil {
            counts.misses.add(1, ordering: .relaxed)
        } else {
            counts.hits.add(1, ordering: .relaxed)
        }
        return entry
    }

    /// Has an entry live as if its payload were stored now, without looking at that; false when there is none
    /// that could be loaded, or its times cannot be changed. An expired lifetime changes nothing, as with
    /// `store`.
    ///
    /// - Parameter httpRecords: Replace the records that an HTTP response has left; nil keeps those.
    package func renew(
        _ name: EntryName, expiration: StorageExpiration, httpRecords: [EntryRecord]? = nil
    ) -> Bool {
        guard isReady else { return false }
        let now = clock.now
        guard !expiration.isExpired(at: now) else { return true }
        return locks.withLock(name.digest) {
            do {
                guard let file = try openEntry(path(of: name)) else { return false }
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
        let expiry = status.expiry(after: pending.access(of: name))
        guard status.kind == .regular, status.size > 0, expiry > now else { return false }
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
        pending.forget(name)
        return true
    }

    private func openEntry(_ path: String) throws(DiskStorageFailure) -> FileDescriptor? {
        do {
            return try fileSystem.openForReading(path)
        } catch {
            switch error.code {
            case ENOENT, ENOTDIR, ENXIO: return nil
            case EACCES where !isUnexpiredFile(path): return nil
            default: throw .cannotLoad(path: path, error)
            }
        }
    }

    /// Tells a file that may not be read from a folder that may not be entered.
    private func isUnexpiredFile(_ path: String) -> Bool {
        guard let status = try? fileSystem.status(of: path) else { return false }
        return status.kind == .regular && status.modified > clock.now
    }

    private func load(
        _ file: consuming FileDescriptor, _ name: EntryName, path: String, extending: ExpirationExtending,
        verifying verifies: Bool
    ) throws(DiskStorageFailure) -> StoredEntry? {
        let status: FileStatus
        do {
            status = try fileSystem.status(of: file)
        } catch {
            throw .invalidResource(path: path, error)
        }
        let now = clock.now
        let access = pending.access(of: name)
        let expiry = status.expiry(after: access)
        guard status.kind == .regular, expiry > now else { return nil }
        do {
            let reading = try reading(of: file, status, access)
            guard status.size > 0, reading.allows(length: status.size),
                let payload = try payload(of: file, count: status.size), !verifies || reading.allows(payload)
            else {
                discard(status, name, path: path)
                return nil
            }
            extend(name, file, status, reading, expiring: expiry, extending, now: now)
            return StoredEntry(
                payload: payload, storedAt: reading.storedAt.map { min($0, now) }, records: reading.records)
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

    /// The content of a file, or nil when it is shorter than it was a moment ago.
    private func payload(of file: borrowing FileDescriptor, count: Int) throws(SystemError) -> Data? {
        if count > Self.largestRead {
            let address = try fileSystem.map(file, count: count)
            return Data(bytesNoCopy: address, count: count, deallocator: .unmap)
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
        // Only once it is filled: `Data` copies a few bytes at once and frees them.
        return Data(bytesNoCopy: room, count: count, deallocator: .free)
    }

    /// Removes a damaged file, unless another process has put a new one in its place.
    private func discard(_ damaged: FileStatus, _ name: EntryName, path: String) {
        guard let current = try? fileSystem.status(of: path), current.isSameFile(as: damaged) else { return }
        pending.forget(name)
        do throws(SystemError) {
            try changeEntry(name, status: current) { () throws(SystemError) in
                try fileSystem.unlink(path)
                return nil
            }
            counts.corruptEntriesDropped.add(1, ordering: .relaxed)
        } catch {
            // The load is a miss in any case; a folder that cannot be written to keeps the file.
        }
    }

    /// Notes the access, and what it does to the expiry. Failing here must not fail the read.
    private func extend(
        _ name: EntryName, _ file: borrowing FileDescriptor, _ status: FileStatus,
        _ reading: EntryAttribute.Reading, expiring expiry: Date, _ extending: ExpirationExtending, now: Date
    ) {
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
            // With the attribute, at once: a later access starts from both.
            try? fileSystem.setTimes(of: file, accessed: now, modified: expires)
            pending.forget(name)
        }
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

    fileprivate var storedAt: Date? {
        if case .valid(let attribute) = self { attribute.storedAt } else { nil }
    }

    var records: [EntryRecord] {
        if case .valid(let attribute) = self { attribute.records } else { [] }
    }

    /// The lifetime that the entry was stored with; without an attribute, what its times still tell.
    fileprivate func lifetime(of status: FileStatus, now: Date) -> EntryAttribute.Lifetime {
        if case .valid(let attribute) = self { return attribute.lifetime }
        return .seconds(status.modified.timeIntervalSince(min(status.accessed, now)))
    }

    /// No entry lives longer than its lifetime from now on; one that says so was stored before somebody set
    /// the clock back. Times that a file system rounds to seconds pass.
    fileprivate func latestExpiry(at now: Date) -> Date? {
        guard case .valid(let attribute) = self, case .seconds = attribute.lifetime else { return nil }
        return attribute.lifetime.expiration(since: now).addingTimeInterval(1)
    }
}

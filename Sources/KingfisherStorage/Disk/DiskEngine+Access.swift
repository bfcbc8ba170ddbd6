import Foundation

/// Noting reads, in memory first and in the files' times soon after.
extension DiskEngine {
    /// After how many seconds an access is written, so that other processes know of it.
    static var accessDelay: TimeInterval { 1 }

    /// Notes that an open file was read, and what its expiry is from now on; nil leaves it. In the entry's
    /// lane only.
    func noteAccess(
        to name: EntryName, _ file: borrowing FileDescriptor, _ status: FileStatus,
        _ reading: EntryAttribute.Reading, expires: Date?, now: Date
    ) {
        let access = PendingAccesses.Access(
            device: status.device, inode: status.inode, modified: status.modified, accessed: now,
            expires: expires, attribute: SeenAttribute(reading, of: status, now: now))
        guard pending.note(access, of: name) else {
            // Too many wait. Failing here must not fail the read.
            try? fileSystem.setTimes(of: file, accessed: now, modified: expires)
            return
        }
        accesses.write(after: Self.accessDelay, on: background)
    }

    /// Writes what waits into the files' times.
    package func writePendingAccesses() {
        accesses.write()
    }
}

extension FileStatus {
    /// The expiry of this file, given an access that its times may not tell yet.
    func expiry(after access: PendingAccesses.Access?) -> Date {
        guard let access, access.isOf(self) else { return modified }
        return access.expires ?? modified
    }
}

import Foundation
import Glibc
import Synchronization

/// Noting reads, in memory first and in the files' times soon after.
extension DiskEngine {
    /// The longest time, in seconds, that other processes do not know of an access.
    static var longestDelay: TimeInterval { 1 }

    /// Notes that an open file was read, and what its expiry is from now on; nil leaves it. In the entry's
    /// lane only.
    func noteAccess(
        to name: EntryName, _ file: borrowing FileDescriptor, _ status: FileStatus, expires: Date?, now: Date
    ) {
        let access = PendingAccesses.Access(
            device: status.device, inode: status.inode, modified: status.modified, accessed: now,
            expires: expires)
        guard pending.note(access, of: name) else {
            // Too many wait. Failing here must not fail the read.
            try? fileSystem.setTimes(of: file, accessed: now, modified: expires)
            return
        }
        guard !isFlushAhead.exchange(true, ordering: .relaxed) else { return }
        background.run(after: Self.longestDelay) { [weak self] in self?.writePendingAccesses() }
    }

    /// Writes what waits into the files' times, one lane at a time.
    package func writePendingAccesses() {
        isFlushAhead.store(false, ordering: .relaxed)
        for name in pending.names {
            lanes.withLane(of: name) { writePendingAccess(of: name) }
        }
    }

    /// In the entry's lane only.
    private func writePendingAccess(of name: EntryName) {
        guard let access = pending.access(of: name) else { return }
        // Only afterwards, so that whoever looks meanwhile learns it from here or from the file.
        defer { pending.forget(name) }
        let path = path(of: name)
        guard let status = try? fileSystem.status(of: path), access.isOf(status) else { return }
        // A file of somebody else keeps its times.
        try? fileSystem.setTimes(of: path, accessed: access.accessed, modified: access.expires)
    }
}

extension FileStatus {
    /// The expiry of this file, given an access that its times may not tell yet.
    func expiry(after access: PendingAccesses.Access?) -> Date {
        guard let access, access.isOf(self) else { return modified }
        return access.expires ?? modified
    }
}

package import Foundation

package struct InspectedEntry: Sendable, Hashable {
    package let fileName: String
    package let byteCount: Int
    /// Nil if the file has no valid attribute.
    package let storedAt: Date?
    /// The distant future if the entry does not expire.
    package let expiration: Date
    package let lastAccess: Date

    /// Distinguishes this file from one that has replaced or renewed it.
    let identity: Identity

    struct Identity: Hashable {
        let device: UInt64
        let inode: UInt64
        let expiry: Date

        func isOf(_ status: FileStatus, _ access: PendingAccesses.Access?) -> Bool {
            // Tolerance: an access that was written in the meantime has rounded the expiry to a file time.
            device == status.device && inode == status.inode
                && abs(expiry.timeIntervalSince(status.expiry(after: access))) < 0.001
        }
    }

    /// - Parameter now: An entry without expiration has still expired if the file's expiry has passed.
    init(
        fileName: String, status: FileStatus, access: PendingAccesses.Access?, attribute: EntryAttribute?,
        now: Date
    ) {
        self.fileName = fileName
        byteCount = status.size
        storedAt = attribute?.storedAt
        let expiry = status.expiry(after: access)
        // File systems cannot represent the distant future.
        expiration = attribute?.lifetime == .forever && expiry > now ? .distantFuture : expiry
        lastAccess = access.flatMap { $0.isOf(status) ? $0.accessed : nil } ?? status.accessed
        identity = Identity(device: status.device, inode: status.inode, expiry: expiry)
    }
}

package enum InspectedItem: Sendable {
    case entry(InspectedEntry)
    /// A folder, a link, a pipe, or a file whose name cannot be an entry's.
    case foreign(name: String)
}

/// The result of verifying an entry's content and attribute against their checksums.
package enum EntryCondition: Sendable, Equatable {
    case intact
    case withoutChecksum
    case damaged
    case empty
    case unreadable(SystemError)
}

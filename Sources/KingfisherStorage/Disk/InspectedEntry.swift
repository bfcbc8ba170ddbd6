package import Foundation

/// An entry as looking into the folder finds it, without its content.
package struct InspectedEntry: Sendable, Hashable {
    package let fileName: String
    package let byteCount: Int
    /// Nil where the file has no attribute that says so.
    package let storedAt: Date?
    /// The distant future for entries that do not expire.
    package let expiration: Date
    package let lastAccess: Date

    /// What tells this file from one that has been put in its place or renewed since.
    let identity: Identity

    struct Identity: Hashable {
        let device: UInt64
        let inode: UInt64
        let expiry: Date

        func isOf(_ status: FileStatus, _ access: PendingAccesses.Access?) -> Bool {
            // An access that has been written since moved the time by what a file time cannot hold.
            device == status.device && inode == status.inode
                && abs(expiry.timeIntervalSince(status.expiry(after: access))) < 0.001
        }
    }

    /// - Parameters:
    ///   - access: One that the file's times may not tell yet.
    ///   - now: An entry that was to be kept for ever has expired when its file says so.
    init(
        fileName: String, status: FileStatus, access: PendingAccesses.Access?, attribute: EntryAttribute?,
        now: Date
    ) {
        self.fileName = fileName
        byteCount = status.size
        storedAt = attribute?.storedAt
        let expiry = status.expiry(after: access)
        // File systems end sooner than for ever.
        expiration = attribute?.lifetime == .forever && expiry > now ? .distantFuture : expiry
        lastAccess = access.flatMap { $0.isOf(status) ? $0.accessed : nil } ?? status.accessed
        identity = Identity(device: status.device, inode: status.inode, expiry: expiry)
    }
}

/// A name in the cache folder.
package enum InspectedItem: Sendable {
    case entry(InspectedEntry)
    /// A folder, a link, a pipe, or a file of a name that no entry has.
    case foreign(name: String)
}

/// What reading the whole of an entry's file says.
package enum EntryCondition: Sendable, Equatable {
    /// Length and checksum are those of storing.
    case intact
    /// There is nothing to compare the content with.
    case withoutChecksum
    /// Content or attribute are not what was stored.
    case damaged
    case empty
    case unreadable(SystemError)
}

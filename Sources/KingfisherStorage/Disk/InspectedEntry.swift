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
        let modified: Date

        init(_ status: FileStatus) {
            (device, inode, modified) = (status.device, status.inode, status.modified)
        }
    }

    init(fileName: String, status: FileStatus, attribute: EntryAttribute?) {
        self.fileName = fileName
        byteCount = status.size
        storedAt = attribute?.storedAt
        expiration = attribute?.lifetime == .forever ? .distantFuture : status.modified
        lastAccess = status.accessed
        identity = Identity(status)
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

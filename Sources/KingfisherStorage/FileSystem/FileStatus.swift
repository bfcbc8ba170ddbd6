import Foundation
import Glibc

/// What `stat` tells about a directory entry, the link itself where it is a symbolic link.
struct FileStatus: Sendable {
    enum Kind: Sendable { case regular, directory, symbolicLink, other }

    let kind: Kind
    /// Bytes of content, `largestSize` at most.
    let size: Int
    let accessed: Date
    let modified: Date
    /// When content, name or attributes last changed; the kernel sets it and nobody else can.
    let changed: Date
    /// With `inode`, the same file under any name.
    let device: UInt64
    let inode: UInt64
    let owner: uid_t

    /// A pebibyte, which no payload has and no address space can map: a file full of holes may claim to have
    /// eight thousand times that, and sums of sizes have to end somewhere.
    static let largestSize = 1 << 50

    init(_ raw: stat) {
        switch raw.st_mode & S_IFMT {
        case S_IFREG: kind = .regular
        case S_IFDIR: kind = .directory
        case S_IFLNK: kind = .symbolicLink
        default: kind = .other
        }
        size = min(max(0, Int(raw.st_size)), Self.largestSize)
        accessed = Date(raw.st_atim)
        modified = Date(raw.st_mtim)
        changed = Date(raw.st_ctim)
        device = UInt64(raw.st_dev)
        inode = UInt64(raw.st_ino)
        owner = raw.st_uid
    }

    func isSameFile(as other: FileStatus) -> Bool {
        device == other.device && inode == other.inode
    }
}

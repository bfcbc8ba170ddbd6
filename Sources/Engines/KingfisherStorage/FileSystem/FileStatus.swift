import Foundation
import Glibc

/// The result of `stat` for a directory entry. Describes a symbolic link itself, not its target.
struct FileStatus: Sendable {
    enum Kind: Sendable { case regular, directory, symbolicLink, other }

    let kind: Kind
    /// Bytes of content, at most `largestSize`.
    let size: Int
    let accessed: Date
    let modified: Date
    /// When content, name or attributes last changed. Only the kernel can set it.
    let changed: Date
    /// Together with `inode`, identifies the file under any name.
    let device: UInt64
    let inode: UInt64
    let owner: uid_t
    /// Read, write and execute bits.
    let permissions: mode_t

    /// A pebibyte: more than any address space can map. A sparse file can claim eight thousand times as much,
    /// and sums of sizes must not overflow.
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
        permissions = raw.st_mode & 0o777
    }

    var isWritableByOthers: Bool { permissions & (S_IWGRP | S_IWOTH) != 0 }

    func isSameFile(as other: FileStatus) -> Bool {
        device == other.device && inode == other.inode
    }
}

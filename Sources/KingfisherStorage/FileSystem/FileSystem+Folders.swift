import CLinux
import Glibc

/// One name in a folder.
struct FolderEntry {
    /// Valid only while the closure that received it runs.
    let name: UnsafePointer<CChar>
    /// The file system said that this is a folder; others leave that to `stat`.
    let isKnownFolder: Bool
    let inode: UInt64

    var isHidden: Bool { name[0] == Self.dot }

    fileprivate var isSelfOrParent: Bool {
        isHidden && (name[1] == 0 || (name[1] == Self.dot && name[2] == 0))
    }

    private static var dot: CChar { CChar(UInt8(ascii: ".")) }
}

extension FileSystem {
    /// Bytes of names that the kernel gives at once: some three hundred digests.
    private static var partLength: Int { 32 << 10 }

    /// Calls `body` with every name in an open folder but "." and "..", in no order. A folder that is removed
    /// meanwhile ends there.
    ///
    /// - Parameter pause: Called between two parts of the names. The kernel keeps the folder from
    ///   being changed while it reads a part.
    func forEachEntry(
        of folder: borrowing FileDescriptor, pause: () -> Void = {},
        _ body: (FolderEntry) throws(SystemError) -> Void
    ) throws(SystemError) {
        let descriptor = folder.raw
        let room = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.partLength, alignment: MemoryLayout<linux_folder_entry>.alignment)
        defer { room.deallocate() }
        _ = try perform(.list) { lseek(descriptor, 0, SEEK_SET) }
        while true {
            let count = try readNames(of: descriptor, into: room)
            guard count > 0, var next = UnsafeRawPointer(room.baseAddress) else { return }
            let end = next + count
            while next < end {
                let raw = next.assumingMemoryBound(to: linux_folder_entry.self)
                let isKnownFolder = raw.pointee.type == UInt8(DT_DIR)
                let entry = FolderEntry(
                    name: linux_entry_name(raw), isKnownFolder: isKnownFolder,
                    inode: raw.pointee.inode)
                if !entry.isSelfOrParent { try body(entry) }
                next += Int(raw.pointee.length)
            }
            pause()
        }
    }

    /// The number of bytes read; 0 after the last name.
    private func readNames(
        of folder: CInt, into room: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        do {
            return try perform(.list) { linux_read_names(folder, room.baseAddress, room.count) }
        } catch  where error.code == ENOENT {
            // The folder has been removed since it was opened, and so was empty by then.
            return 0
        }
    }

    /// Makes a folder and those above it; one that exists, also through a link, is fine.
    func makeFolders(_ path: String) throws(SystemError) {
        do {
            try makeFolder(path, mode: 0o755)
        } catch {
            switch error.code {
            case ENOENT:
                guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { throw error }
                try makeFolders(String(path[..<slash]))
                do {
                    try makeFolder(path, mode: 0o755)
                } catch  where error.code == EEXIST {
                    // Somebody else was quicker.
                }
            case EEXIST:
                if try status(of: path, followingLinks: true).kind != .directory {
                    throw SystemError(.makeDirectory, code: ENOTDIR, path: path)
                }
            default:
                throw error
            }
        }
    }

    /// Fails with `EPERM` where another user has put a link in a folder's place: it may lead to any folder of
    /// ours. A link of our own, or of root's, may put the folder on another disk.
    func refuseForeignLink(_ path: String) throws(SystemError) {
        let status = try status(of: path)
        if status.kind == .symbolicLink, status.owner != 0, status.owner != geteuid() {
            throw SystemError(.open, code: EPERM, path: path)
        }
    }

    /// Removes a name, and everything below where it is a folder; links are removed, never followed.
    ///
    /// Something that is gone already counts as removed.
    func removeTree(_ name: UnsafePointer<CChar>, in parent: CInt = AT_FDCWD) throws(SystemError) {
        do {
            try unlink(name, in: parent)
        } catch {
            switch error.code {
            case ENOENT, ENOTDIR: return
            case EISDIR: try removeFolderTree(name, in: parent)
            default: throw error
            }
        }
    }

    private func removeFolderTree(_ name: UnsafePointer<CChar>, in parent: CInt) throws(SystemError) {
        do {
            let folder = try openFolder(name, in: parent, followingLinks: false)
            let descriptor = folder.raw
            try forEachEntry(of: folder) { entry throws(SystemError) in
                try removeTree(entry.name, in: descriptor)
            }
            try removeFolder(name, in: parent)
        } catch  where error.code == ENOENT {
            // Somebody else was quicker.
        }
    }
}

import CLinux
import Glibc

struct FolderEntry {
    /// Valid only while the closure that received it runs.
    let name: UnsafePointer<CChar>
    /// The file system reported a folder. Some file systems do not report the type; `stat` tells.
    let isKnownFolder: Bool
    let inode: UInt64

    var isHidden: Bool { name[0] == Self.dot }

    fileprivate var isSelfOrParent: Bool {
        isHidden && (name[1] == 0 || (name[1] == Self.dot && name[2] == 0))
    }

    private static var dot: CChar { CChar(UInt8(ascii: ".")) }
}

extension FileSystem {
    /// Bytes of names read per system call: about three hundred digests.
    private static var partLength: Int { 32 << 10 }

    /// Calls `body` with every name in an open folder except "." and "..", in no particular order. Ends early
    /// if the folder is removed.
    ///
    /// - Parameter pause: Called after each batch of names. The kernel locks the folder against changes while
    ///   it reads a batch.
    func forEachEntry(
        of folder: borrowing FileDescriptor, pause: () -> Void = {},
        _ body: (FolderEntry) throws(SystemError) -> Void
    ) throws(SystemError) {
        let descriptor = folder.raw
        let room = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.partLength, alignment: MemoryLayout<kf_linux_folder_entry>.alignment)
        defer { room.deallocate() }
        _ = try perform(.list) { lseek(descriptor, 0, SEEK_SET) }
        while true {
            let count = try readNames(of: descriptor, into: room)
            guard count > 0, var next = UnsafeRawPointer(room.baseAddress) else { return }
            let end = next + count
            while next < end {
                let raw = next.assumingMemoryBound(to: kf_linux_folder_entry.self)
                let isKnownFolder = raw.pointee.type == UInt8(DT_DIR)
                let entry = FolderEntry(
                    name: kf_linux_entry_name(raw), isKnownFolder: isKnownFolder,
                    inode: raw.pointee.inode)
                if !entry.isSelfOrParent { try body(entry) }
                next += Int(raw.pointee.length)
            }
            pause()
        }
    }

    private func readNames(
        of folder: CInt, into room: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        do {
            return try perform(.list) { kf_linux_read_names(folder, room.baseAddress, room.count) }
        } catch  where error.code == ENOENT {
            // The folder was removed after it was opened, so it was empty.
            return 0
        }
    }

    /// Makes a folder and missing ones above it. Returns false if it exists.
    @discardableResult
    func makeFolders(_ path: String, mode: mode_t) throws(SystemError) -> Bool {
        do {
            try makeFolder(path, mode: mode)
            return true
        } catch {
            switch error.code {
            case ENOENT:
                guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { throw error }
                try makeFolders(String(path[..<slash]), mode: mode)
                do {
                    try makeFolder(path, mode: mode)
                    return true
                } catch  where error.code == EEXIST {
                    // Another thread or process made it first.
                    return false
                }
            case EEXIST:
                if try status(of: path, followingLinks: true).kind != .directory {
                    throw SystemError(.makeDirectory, code: ENOTDIR, path: path)
                }
                return false
            default:
                throw error
            }
        }
    }

    /// Removes a name, and its content if it is a folder. Links are removed, never followed. Succeeds if the
    /// name does not exist.
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
            // Another thread or process removed it first.
        }
    }
}

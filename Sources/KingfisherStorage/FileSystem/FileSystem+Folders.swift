import Glibc

/// One name in a folder.
struct FolderEntry {
    /// Valid only while the closure that received it runs.
    let name: UnsafePointer<CChar>
    /// The file system said that this is a folder; others leave that to `stat`.
    let isKnownFolder: Bool

    var isHidden: Bool { name[0] == Self.dot }

    fileprivate var isSelfOrParent: Bool {
        isHidden && (name[1] == 0 || (name[1] == Self.dot && name[2] == 0))
    }

    private static var dot: CChar { CChar(UInt8(ascii: ".")) }
}

extension FileSystem {
    /// Calls `body` with every name in an open folder but "." and "..", in no order.
    func forEachEntry(
        of folder: borrowing FileDescriptor, _ body: (FolderEntry) throws(SystemError) -> Void
    ) throws(SystemError) {
        let descriptor = folder.raw
        // The stream closes the descriptor that it is made of, so it gets one of its own.
        let copy = try perform(.list) { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
        guard let stream = fdopendir(copy) else {
            let code = errno
            _ = Glibc.close(copy)
            throw SystemError(.list, code: code, path: "")
        }
        defer { closedir(stream) }
        rewinddir(stream)
        while true {
            errno = 0
            guard let raw = readdir(stream) else {
                let code = errno
                if code != 0 { throw SystemError(.list, code: code, path: "") }
                return
            }
            guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return }
            let name = UnsafeRawPointer(raw).advanced(by: offset).assumingMemoryBound(to: CChar.self)
            let entry = FolderEntry(name: name, isKnownFolder: raw.pointee.d_type == UInt8(DT_DIR))
            if !entry.isSelfOrParent { try body(entry) }
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
        let folder = try openFolder(name, in: parent, followingLinks: false)
        let descriptor = folder.raw
        try forEachEntry(of: folder) { entry throws(SystemError) in
            try removeTree(entry.name, in: descriptor)
        }
        try removeFolder(name, in: parent)
    }
}

import CLinux
import Glibc

/// Protection against other users of the machine, where they may write to a folder of the path: the one rule
/// for files and folders of caches.
///
/// An owner other than the process's effective user and root is another user. Root could change the memory of
/// this process as well.
extension FileSystem {
    func isForeign(_ status: FileStatus) -> Bool { status.owner != 0 && status.owner != user }

    /// Whether an open file belongs to another user, or its owner is unknown.
    package func isForeign(descriptor: CInt) -> Bool {
        var raw = stat()
        return fstat(descriptor, &raw) != 0 || isForeign(FileStatus(raw))
    }

    /// Whether only this process's user may write to an open file or folder.
    func isPrivate(_ status: FileStatus) -> Bool { status.owner == user && !status.isWritableByOthers }

    /// Opens a folder for cached files, following a link in its place, which may put it on another disk.
    ///
    /// Fails with `EPERM` if another user owns the link, which may lead to any folder of this user, or owns
    /// the folder and lets others write to it. Both are checked after opening, because the name may be
    /// changed at any time. Fails with `ENOENT` if that has just happened.
    func openCacheFolder(_ path: UnsafePointer<CChar>) throws(SystemError) -> FileDescriptor {
        let folder = try openFolder(path, followingLinks: true)
        _ = try status(of: folder, openedAs: path)
        return folder
    }

    /// The status of a folder for cached files, which `openCacheFolder` would not refuse. It need not be
    /// readable.
    func statusOfCacheFolder(_ path: UnsafePointer<CChar>) throws(SystemError) -> FileStatus {
        let flags = O_DIRECTORY | O_CLOEXEC | kf_linux_open_path_only()
        let folder = FileDescriptor(raw: try perform(.open, path) { open(path, flags) })
        return try status(of: folder, openedAs: path)
    }

    private func status(
        of folder: borrowing FileDescriptor, openedAs path: UnsafePointer<CChar>
    ) throws(SystemError) -> FileStatus {
        let (opened, named) = (try status(of: folder), try status(of: path))
        let isLink = named.kind == .symbolicLink
        guard isLink || named.isSameFile(as: opened) else {
            throw SystemError(.open, code: ENOENT, path: String(cString: path))
        }
        if isLink && isForeign(named) || isForeign(opened) && opened.isWritableByOthers {
            throw SystemError(.open, code: EPERM, path: String(cString: path))
        }
        return opened
    }

    /// Fails with `EPERM`, and removes the name, if it is not the file that was renamed to it but one of
    /// another user, who has exchanged the temporary file. Another process of this user may have replaced it.
    ///
    /// - Parameter written: The status of the open file.
    func confirm(
        _ written: FileStatus, isNamed path: UnsafePointer<CChar>, in folder: CInt = AT_FDCWD
    ) throws(SystemError) {
        guard let named = try? status(of: path, in: folder), isForeign(named) else { return }
        // A file server may show all files with another owner.
        guard !named.isSameFile(as: written) || named.owner != written.owner else { return }
        try? unlink(path, in: folder)
        throw SystemError(.rename, code: EPERM, path: String(cString: path))
    }
}

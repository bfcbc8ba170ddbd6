import CLinux
import Glibc

/// The system calls of files that receive response bodies.
extension FileSystem {
    /// Creates a file without a name (`O_TMPFILE`). It vanishes when it is closed, unless `link` gives it a
    /// name.
    func createUnnamed(in folder: CInt) throws(SystemError) -> FileDescriptor {
        let flags = kf_linux_open_unnamed_flags() | O_CLOEXEC
        return FileDescriptor(raw: try perform(.open, ".") { openat(folder, ".", flags, Self.privateMode) })
    }

    func openForWriting(
        _ path: UnsafePointer<CChar>, in folder: CInt, creating creates: Bool
    ) throws(SystemError) -> FileDescriptor {
        let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (creates ? O_CREAT : 0)
        return FileDescriptor(raw: try perform(.open, path) { openat(folder, path, flags, Self.privateMode) })
    }

    /// Gives an unnamed file a name.
    func link(
        _ file: borrowing FileDescriptor, to path: UnsafePointer<CChar>, in folder: CInt
    ) throws(SystemError) {
        // With AT_EMPTY_PATH, only privileged processes could do this.
        let source = "/proc/self/fd/\(file.raw)"
        _ = try perform(.link, path) { linkat(AT_FDCWD, source, folder, path, AT_SYMLINK_FOLLOW) }
    }

    func truncate(_ file: borrowing FileDescriptor, to size: Int) throws(SystemError) {
        let descriptor = file.raw
        _ = try perform(.truncate) { ftruncate(descriptor, off_t(size)) }
    }

    func write(
        _ bytes: UnsafeRawBufferPointer, to file: borrowing FileDescriptor, at offset: Int
    ) throws(SystemError) {
        let descriptor = file.raw
        var (rest, offset) = (bytes, offset)
        while let start = rest.baseAddress, !rest.isEmpty {
            let count = try perform(.write) { pwrite(descriptor, start, rest.count, off_t(offset)) }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            offset += count
        }
    }
}

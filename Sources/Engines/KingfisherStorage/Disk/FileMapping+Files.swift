package import Foundation
import Glibc

/// Mapped files of users.
extension FileMapping {
    /// Smaller files are read, because they may be changed at any time.
    private static let smallest = 1 << 20

    /// The bytes of a file without a copy; nil if the file must be read instead: because it is small or not
    /// regular, or because another user than this one may write it. A decoder must not see bytes change that
    /// it has checked.
    package static func contents(of descriptor: CInt) -> Data? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_mode & (S_IWGRP | S_IWOTH) == 0, status.st_uid == geteuid(), status.st_size > smallest,
            let count = Int(exactly: status.st_size)
        else { return nil }
        let file = FileDescriptor(raw: descriptor)
        let data = try? FileMapping(file, count: count, FileSystem()).protectedData
        file.relinquish()
        return data
    }

    /// The same for a path, following links.
    package static func contents(ofFile path: UnsafePointer<CChar>) -> Data? {
        // Without O_NONBLOCK, opening a pipe would block until it has a writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return contents(of: descriptor)
    }
}

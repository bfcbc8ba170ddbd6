import CLinux
import Glibc

/// When the content of a regular file last changed, and its size in bytes.
package struct FileVersion: Hashable, Sendable {
    /// Since 1970.
    package let seconds: Int
    private let nanoseconds: Int
    package let size: Int

    /// The version of a file, following links; nil if it is not a regular file.
    package init?(path: UnsafePointer<CChar>) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The version of an open file; nil if it is not a regular file.
    package init?(descriptor: CInt) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init?(_ status: stat) {
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
        size = Int(status.st_size)
    }
}

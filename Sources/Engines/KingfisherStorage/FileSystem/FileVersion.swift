import CLinux
import Glibc

/// Which regular file a path names, when its content last changed, and its size in bytes.
///
/// A program that replaces a file, writes into it or sets its date gives it another version, unless it
/// restores size and date to the nanosecond.
package struct FileVersion: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64
    /// Since 1970.
    package let seconds: Int
    private let nanoseconds: Int
    package let size: Int

    /// A text that differs between versions: 80 hexadecimal digits. Each request for a local file makes it.
    package var text: String {
        let numbers = (
            device, inode, UInt64(bitPattern: Int64(size)), UInt64(bitPattern: Int64(seconds)),
            UInt64(bitPattern: Int64(nanoseconds))
        )
        return String(unsafeUninitializedCapacity: 80) { digits in
            withUnsafeBytes(of: numbers) { bytes in
                for (index, byte) in bytes.enumerated() {
                    digits[2 * index] = Self.digit(byte >> 4)
                    digits[2 * index + 1] = Self.digit(byte & 15)
                }
            }
            return 80
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// The version of a file, following links; nil if it is not a regular file.
    package init?(path: UnsafePointer<CChar>) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The same without asking the server of a network file system, which may know a newer version.
    package init?(locallyKnown path: UnsafePointer<CChar>) {
        self.init(locallyKnown: path) { kf_linux_read_version($0, &$1) }
    }

    /// - Parameter read: Returns 0 or an error number. `statx` is refused by old seccomp profiles of
    ///   containers, and Linux before 4.11 does not have it; then a server is asked.
    init?(
        locallyKnown path: UnsafePointer<CChar>,
        read: (UnsafePointer<CChar>, inout kf_linux_version) -> CInt
    ) {
        var status = kf_linux_version()
        switch read(path, &status) {
        case 0: self.init(status)
        case ENOSYS, EPERM: self.init(path: path)
        default: return nil
        }
    }

    private init(_ status: kf_linux_version) {
        device = status.device
        inode = status.inode
        seconds = Int(status.seconds)
        nanoseconds = Int(status.nanoseconds)
        size = Int(clamping: status.size)
    }

    /// The version of an open file; nil if it is not a regular file.
    package init?(descriptor: CInt) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init?(_ status: stat) {
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
        size = Int(status.st_size)
    }
}

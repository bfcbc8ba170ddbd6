import Foundation
import Glibc

/// Writes files atomically.
///
/// Bytes go to a temporary file in the same folder that is renamed when it is complete. A reader never sees a
/// partial image, and a failure leaves the previous file. A file that is not regular (`/dev/null`, a pipe) is
/// written directly. A symbolic link stays, and its target is replaced.
enum OutputFile {
    /// `mode` is the mode of a file that replaces one or is new, without the bits of the umask. `prepare`
    /// changes such a file, by its descriptor, after its bytes are written and before it has its name.
    static func write(
        _ bytes: Data, to path: String, mode: mode_t = 0o666,
        prepare: (Int32) throws(SystemError) -> Void = { _ throws(SystemError) in }
    ) throws(SystemError) {
        guard let status = path.fileStatus else { return try replace(path, with: bytes, mode, prepare) }
        switch status.st_mode & S_IFMT {
        case S_IFREG:
            guard let target = path.realPath else { throw SystemError(errno) }
            try replace(target, with: bytes, mode, prepare)
        case S_IFDIR: throw SystemError(EISDIR)
        default:
            let descriptor = try SystemError.check(path.withSystemPath { open($0, O_WRONLY | O_CLOEXEC) })
            defer { close(descriptor) }
            try write(bytes, to: descriptor)
        }
    }

    static func makeFolder(_ path: String) throws(SystemError) {
        guard path.withSystemPath({ mkdir($0, 0o777) }) != 0 else { return }
        switch errno {
        case ENOENT:
            try makeFolder(path.folderAndName.folder)
            try SystemError.check(path.withSystemPath { mkdir($0, 0o777) })
        case EEXIST:
            guard let status = path.fileStatus, status.st_mode & S_IFMT == S_IFDIR else {
                throw SystemError(ENOTDIR)
            }
        case let number:
            throw SystemError(number)
        }
    }

    private static func replace(
        _ path: String, with bytes: Data, _ mode: mode_t, _ prepare: (Int32) throws(SystemError) -> Void
    ) throws(SystemError) {
        let (folder, name) = path.folderAndName
        let (temporary, descriptor) = try makeTemporary(for: name, in: folder, mode)
        do {
            // Closed, and therefore unlocked, only after the file has its final name.
            defer { close(descriptor) }
            try write(bytes, to: descriptor)
            try prepare(descriptor)
            try SystemError.check(
                temporary.withSystemPath { temporary in path.withSystemPath { rename(temporary, $0) } })
            try confirm(path, is: descriptor)
        } catch {
            _ = temporary.withSystemPath { unlink($0) }
            throw error
        }
    }

    /// Fails, and removes the name, if another user has exchanged the temporary file in a folder to which
    /// others may write.
    static func confirm(_ path: String, is descriptor: Int32) throws(SystemError) {
        var (written, named) = (stat(), stat())
        try SystemError.check(fstat(descriptor, &written))
        guard path.withSystemPath({ lstat($0, &named) }) == 0, ![0, geteuid()].contains(named.st_uid)
        else { return }
        // Some file systems show all files with another owner.
        let isSameFile = named.st_dev == written.st_dev && named.st_ino == written.st_ino
        guard !isSameFile || named.st_uid != written.st_uid else { return }
        _ = path.withSystemPath { unlink($0) }
        throw SystemError(EPERM)
    }

    /// Creates and locks a temporary file; the lock marks it as in use.
    private static func makeTemporary(
        for name: String, in folder: String, _ mode: mode_t
    ) throws(SystemError) -> (path: String, descriptor: Int32) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        while true {
            let number = UInt32.random(in: .min ... .max)
            let path = "\(folder)/\(LeftoverFiles.name(for: name, number: number))"
            let descriptor = try SystemError.check(path.withSystemPath { open($0, flags, mode) })
            let isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
            var status = stat()
            try SystemError.check(fstat(descriptor, &status))
            if isLocked, status.st_nlink > 0 { return (path, descriptor) }
            // Another run treated the file as a leftover before it was locked, and has removed it.
            close(descriptor)
        }
    }

    /// Writes all bytes to an open descriptor; repeats partial writes.
    static func write(_ bytes: Data, to descriptor: Int32) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            rest = rest.dropFirst(Int(try SystemError.check(Int32(clamping: count))))
        }
    }
}

struct SystemError: Error, Hashable, CustomStringConvertible {
    let number: Int32

    init(_ number: Int32) {
        self.number = number
    }

    var description: String { String(cString: strerror(number)) }

    /// The result of a system call; throws `errno` if it is negative.
    @discardableResult
    static func check(_ result: Int32) throws(SystemError) -> Int32 {
        guard result >= 0 else { throw SystemError(errno) }
        return result
    }
}

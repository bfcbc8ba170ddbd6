import Foundation
import Glibc

/// Writes a file whole or not at all.
///
/// Bytes go to a temporary neighbour that takes the name when it is complete, so a reader never sees half an
/// image and a failure leaves what was there before. What is no regular file (`/dev/null`, a pipe) is
/// written to directly; a symbolic link keeps pointing, and its target is replaced.
enum OutputFile {
    static func write(_ bytes: Data, to path: String) throws(SystemError) {
        guard let status = path.fileStatus else { return try replace(path, with: bytes) }
        switch status.st_mode & S_IFMT {
        case S_IFREG:
            guard let target = path.realPath else { throw SystemError(errno) }
            try replace(target, with: bytes)
        case S_IFDIR: throw SystemError(EISDIR)
        default:
            let descriptor = try SystemError.check(path.withSystemPath { open($0, O_WRONLY | O_CLOEXEC) })
            defer { close(descriptor) }
            try write(bytes, to: descriptor)
        }
    }

    /// Makes a folder and those above it, where they are missing.
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

    private static func replace(_ path: String, with bytes: Data) throws(SystemError) {
        let (folder, name) = path.folderAndName
        let (temporary, descriptor) = try makeTemporary(for: name, in: folder)
        do {
            // Closed, and so unlocked, only when the file has its own name.
            defer { close(descriptor) }
            try write(bytes, to: descriptor)
            try SystemError.check(
                temporary.withSystemPath { temporary in path.withSystemPath { rename(temporary, $0) } })
        } catch {
            _ = temporary.withSystemPath { unlink($0) }
            throw error
        }
    }

    /// Makes a temporary file and locks it, which tells it from those of killed runs.
    private static func makeTemporary(
        for name: String, in folder: String
    ) throws(SystemError) -> (path: String, descriptor: Int32) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        while true {
            let number = UInt32.random(in: .min ... .max)
            let path = "\(folder)/\(LeftoverFiles.name(for: name, number: number))"
            let descriptor = try SystemError.check(path.withSystemPath { open($0, flags, 0o666) })
            let isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
            var status = stat()
            try SystemError.check(fstat(descriptor, &status))
            if isLocked, status.st_nlink > 0 { return (path, descriptor) }
            // Another run took it for a leftover before it was locked, and removes it.
            close(descriptor)
        }
    }

    /// Writes all bytes to an open descriptor, however often it takes.
    static func write(_ bytes: Data, to descriptor: Int32) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            rest = rest.dropFirst(Int(try SystemError.check(Int32(clamping: count))))
        }
    }
}

/// A failed system call.
struct SystemError: Error, Hashable, CustomStringConvertible {
    let number: Int32

    init(_ number: Int32) {
        self.number = number
    }

    var description: String { String(cString: strerror(number)) }

    /// The result of a call, or what `errno` says when it is negative.
    @discardableResult
    static func check(_ result: Int32) throws(SystemError) -> Int32 {
        guard result >= 0 else { throw SystemError(errno) }
        return result
    }
}

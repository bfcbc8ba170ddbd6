import Foundation
import Glibc

/// Writes a file whole or not at all.
///
/// Bytes go to a temporary neighbour that takes the name when it is complete, so a reader never sees half a
/// picture and a failure leaves what was there before. What is no regular file (`/dev/null`, a pipe) is
/// written to directly; a symbolic link keeps pointing, and its target is replaced.
enum OutputFile {
    static func write(_ bytes: Data, to path: String) throws(SystemError) {
        var status = stat()
        guard stat(path, &status) == 0 else { return try replace(path, with: bytes) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: try replace(URL(filePath: path).resolvingSymlinksInPath().path, with: bytes)
        case S_IFDIR: throw SystemError(EISDIR)
        default:
            let descriptor = try SystemError.check(open(path, O_WRONLY | O_CLOEXEC))
            defer { close(descriptor) }
            try write(bytes, to: descriptor)
        }
    }

    /// Makes a folder and those above it, where they are missing.
    static func makeFolder(_ path: String) throws(SystemError) {
        guard mkdir(path, 0o777) != 0 else { return }
        switch errno {
        case ENOENT:
            try makeFolder(split(path).folder)
            try SystemError.check(mkdir(path, 0o777))
        case EEXIST:
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
                throw SystemError(ENOTDIR)
            }
        case let number:
            throw SystemError(number)
        }
    }

    private static func replace(_ path: String, with bytes: Data) throws(SystemError) {
        let (folder, name) = split(path)
        let temporary = "\(folder)/.\(name).\(UInt32.random(in: .min ... .max)).part"
        let descriptor = try SystemError.check(
            open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666))
        do {
            defer { close(descriptor) }
            try write(bytes, to: descriptor)
            try SystemError.check(rename(temporary, path))
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// The folder of a path and the name in it; Foundation's own way ends the process for a
    /// name of one letter.
    private static func split(_ path: String) -> (folder: String, name: String) {
        let trimmed = path.last == "/" ? path.dropLast() : path[...]
        guard let slash = trimmed.lastIndex(of: "/") else { return (".", String(trimmed)) }
        return (
            slash == trimmed.startIndex ? "/" : String(trimmed[..<slash]),
            String(trimmed[slash...].dropFirst())
        )
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

import Foundation
import Glibc

/// A file that was read to be replaced by a changed one.
struct OriginalFile {
    let bytes: Data
    /// Without links.
    private let path: String
    private let status: stat
    private let attributes: [ExtendedAttributes.Attribute]

    /// Throws `EditRefusal.symbolicLink`, or a `SystemError`; `ENODEV` for what is not a regular file.
    init(_ path: String, mayBeLink: Bool) throws {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw SourceArgumentError.emptySource }
        var real = path
        if mayBeLink {
            guard let found = path.realPath else { throw SystemError(errno) }
            real = found
        }
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor = real.withSystemPath { open($0, flags) }
        if descriptor < 0, errno == ELOOP { throw EditRefusal.symbolicLink }
        try SystemError.check(descriptor)
        defer { close(descriptor) }
        var status = stat()
        try SystemError.check(fstat(descriptor, &status))
        guard [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { throw SystemError(ENODEV) }
        bytes = try InputFile.bytes(from: descriptor)
        attributes = try ExtendedAttributes.all(of: descriptor)
        (self.path, self.status) = (real, status)
    }

    /// The number of its names (hard links).
    var names: Int { Int(status.st_nlink) }

    /// Replaces the file; the new one has its owner, mode, access list and extended attributes.
    ///
    /// The file stays as it is if something fails. Throws `EditRefusal.hasChanged` if it is no longer the one
    /// that was read, or an `OutputError`.
    func replace(with bytes: Data, keepingTime: Bool) throws {
        do throws(SystemError) {
            // Only the owner may read the new file before it has its mode.
            try OutputFile.write(bytes, to: path, mode: 0o600) { file throws(SystemError) in
                try prepare(file, keepingTime)
            }
        } catch {
            guard error.number != ESTALE else { throw EditRefusal.hasChanged }
            throw OutputError(place: path, reason: error)
        }
    }

    private func prepare(_ file: Int32, _ keepsTime: Bool) throws(SystemError) {
        var written = stat()
        try SystemError.check(fstat(file, &written))
        if written.st_uid != status.st_uid || written.st_gid != status.st_gid {
            try SystemError.check(fchown(file, status.st_uid, status.st_gid))
        }
        try ExtendedAttributes.set(attributes, of: file)
        try SystemError.check(fchmod(file, status.st_mode & 0o7777))
        if keepsTime { try keepTime(of: file) }
        // The old file, maybe the only copy of a photo, must not be lost before the new one is on the disk.
        try SystemError.check(fsync(file))
        var present = stat()
        try SystemError.check(path.withSystemPath { lstat($0, &present) })
        // The time of the last change of content, owner or mode.
        let times = [present.st_ctim, status.st_ctim].map { time in withUnsafeBytes(of: time) { Array($0) } }
        let isSame =
            present.st_dev == status.st_dev && present.st_ino == status.st_ino && times[0] == times[1]
        guard isSame else { throw SystemError(ESTALE) }
    }

    /// Gives a file the times of this one.
    func keepTime(of file: Int32) throws(SystemError) {
        try SystemError.check(futimens(file, [status.st_atim, status.st_mtim]))
    }
}

/// Extended attributes of open files (xattr(7)), also the access lists (acl(5)).
///
/// Without the access list, the group would have the rights of the list's mask.
enum ExtendedAttributes {
    struct Attribute {
        /// With a final zero.
        let name: [CChar]
        let value: [UInt8]
    }

    // The module Glibc does not have sys/xattr.h.
    private typealias ListFunction = @convention(c) (Int32, UnsafeMutablePointer<CChar>?, Int) -> Int
    private typealias GetFunction =
        @convention(c) (Int32, UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int) -> Int
    private typealias SetFunction =
        @convention(c) (Int32, UnsafePointer<CChar>, UnsafeRawPointer, Int, Int32) -> Int32

    private static func function<F>(_ name: String, as type: F.Type) throws(SystemError) -> F {
        guard let symbol = dlsym(nil, name) else { throw SystemError(ENOSYS) }
        return unsafeBitCast(symbol, to: type)
    }

    /// None on a file system without them.
    static func all(of file: Int32) throws(SystemError) -> [Attribute] {
        let (list, get) = (
            try function("flistxattr", as: ListFunction.self), try function("fgetxattr", as: GetFunction.self)
        )
        // The system's limit for all names, and for a value.
        var names = [CChar](repeating: 0, count: 1 << 16)
        let count = list(file, &names, names.count)
        guard count >= 0 else {
            if errno == ENOTSUP || errno == ENOSYS { return [] }
            throw SystemError(errno)
        }
        var attributes: [Attribute] = []
        // The system labels new files itself.
        let labels = "security.".utf8.map { CChar($0) }
        for name in names[..<count].split(separator: 0) where !name.starts(with: labels) {
            let name = Array(name) + [0]
            var value = [UInt8](repeating: 0, count: 1 << 16)
            let length = get(file, name, &value, value.count)
            guard length >= 0 else { throw SystemError(errno) }
            attributes.append(Attribute(name: name, value: Array(value[..<length])))
        }
        return attributes
    }

    static func set(_ attributes: [Attribute], of file: Int32) throws(SystemError) {
        guard !attributes.isEmpty else { return }
        let set = try function("fsetxattr", as: SetFunction.self)
        for attribute in attributes {
            try SystemError.check(set(file, attribute.name, attribute.value, attribute.value.count, 0))
        }
    }
}

import CLinux
import Foundation
import Glibc

/// The system calls of the disk cache. Errors are thrown, and interrupted calls are repeated.
///
/// Foundation's file API is not used here: its writes sync and follow symbolic links, and its resource values
/// cost a hundred times the system call.
package struct FileSystem: Sendable {
    /// Called before every system call, on the calling thread. A result other than zero fails the call with
    /// that `errno`. The path is empty for calls on open files.
    package typealias Intercept = @Sendable (_ call: SystemCall, _ path: String) -> CInt

    private let intercept: Intercept?
    private let assumedUser: uid_t?

    /// - Parameter user: Whose files count as own files; nil for the process's effective user.
    package init(user: UInt32? = nil, intercept: Intercept? = nil) {
        self.intercept = intercept
        assumedUser = user
    }

    /// Not stored, because a process may change its user.
    var user: uid_t { assumedUser ?? geteuid() }

    func perform<R: SignedInteger>(
        _ call: SystemCall, _ path: UnsafePointer<CChar>? = nil, _ body: () -> R
    ) throws(SystemError) -> R {
        if let intercept {
            let path = path.map { String(cString: $0) } ?? ""
            let code = intercept(call, path)
            if code != 0 { throw SystemError(call, code: code, path: path) }
        }
        while true {
            let result = body()
            if result >= 0 { return result }
            let code = errno
            if code != EINTR {
                throw SystemError(call, code: code, path: path.map { String(cString: $0) } ?? "")
            }
        }
    }
}

// MARK: - Names

extension FileSystem {
    /// Opens a file for reading, without following a link and without updating the access time.
    ///
    /// Only the owner of a file may leave its access time unchanged; for other users it is updated, which
    /// does no harm.
    func openForReading(_ path: UnsafePointer<CChar>) throws(SystemError) -> FileDescriptor {
        // Without O_NONBLOCK, a pipe in an entry's place would block until another process writes to it.
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        do {
            return FileDescriptor(
                raw: try perform(.open, path) { open(path, flags | kf_linux_open_without_access_time()) })
        } catch {
            guard error.code == EPERM else { throw error }
            return FileDescriptor(raw: try perform(.open, path) { open(path, flags) })
        }
    }

    /// New files are private (mode 0600) until they are complete.
    func create(
        _ path: UnsafePointer<CChar>, in folder: CInt, readable: Bool = false
    ) throws(SystemError) -> FileDescriptor {
        let flags = (readable ? O_RDWR : O_WRONLY) | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        return FileDescriptor(raw: try perform(.open, path) { openat(folder, path, flags, Self.privateMode) })
    }

    static var privateMode: mode_t { 0o600 }

    func openFolder(
        _ path: UnsafePointer<CChar>, in folder: CInt = AT_FDCWD, followingLinks: Bool
    ) throws(SystemError) -> FileDescriptor {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followingLinks ? 0 : O_NOFOLLOW)
        return FileDescriptor(raw: try perform(.open, path) { openat(folder, path, flags) })
    }

    func status(
        of path: UnsafePointer<CChar>, in folder: CInt = AT_FDCWD, followingLinks: Bool = false
    ) throws(SystemError) -> FileStatus {
        var raw = stat()
        _ = try perform(.status, path) {
            fstatat(folder, path, &raw, followingLinks ? 0 : AT_SYMLINK_NOFOLLOW)
        }
        return FileStatus(raw)
    }

    /// The absolute path of the same file without links, "." and ".."; nil if it is not UTF-8.
    func resolve(_ path: UnsafePointer<CChar>) throws(SystemError) -> String? {
        var resolved: String?
        _ = try perform(.status, path) {
            guard let real = realpath(path, nil) else { return CInt(-1) }
            defer { free(real) }
            resolved = String(validatingCString: real)
            return 0
        }
        return resolved
    }

    func rename(
        _ old: UnsafePointer<CChar>, in oldFolder: CInt, to new: UnsafePointer<CChar>,
        in newFolder: CInt = AT_FDCWD
    ) throws(SystemError) {
        _ = try perform(.rename, new) { renameat(oldFolder, old, newFolder, new) }
    }

    func unlink(_ path: UnsafePointer<CChar>, in folder: CInt = AT_FDCWD) throws(SystemError) {
        _ = try perform(.unlink, path) { unlinkat(folder, path, 0) }
    }

    func removeFolder(_ path: UnsafePointer<CChar>, in folder: CInt = AT_FDCWD) throws(SystemError) {
        _ = try perform(.unlink, path) { unlinkat(folder, path, AT_REMOVEDIR) }
    }

    func makeFolder(_ path: UnsafePointer<CChar>, mode: mode_t) throws(SystemError) {
        _ = try perform(.makeDirectory, path) { mkdir(path, mode) }
    }
}

// MARK: - Open files

extension FileSystem {
    func status(of file: borrowing FileDescriptor) throws(SystemError) -> FileStatus {
        var raw = stat()
        let descriptor = file.raw
        _ = try perform(.status) { fstat(descriptor, &raw) }
        return FileStatus(raw)
    }

    func write(
        _ bytes: UnsafeRawBufferPointer, to file: borrowing FileDescriptor
    ) throws(SystemError) {
        let descriptor = file.raw
        var rest = bytes
        while let start = rest.baseAddress, !rest.isEmpty {
            let count = try perform(.write) { Glibc.write(descriptor, start, rest.count) }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }

    /// Reads until the buffer is full or the file ends. Returns the number of bytes read.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, from file: borrowing FileDescriptor
    ) throws(SystemError) -> Int {
        let descriptor = file.raw
        var filled = 0
        while filled < buffer.count {
            let start = buffer.baseAddress.map { $0 + filled }
            let count = try perform(.read) { Glibc.read(descriptor, start, buffer.count - filled) }
            if count == 0 { break }
            filled += count
        }
        return filled
    }

    /// Reads like `read(into:from:)`, from an offset, without the position that all users of the file share.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, from file: borrowing FileDescriptor, at offset: Int
    ) throws(SystemError) -> Int {
        let descriptor = file.raw
        var filled = 0
        while filled < buffer.count {
            let start = buffer.baseAddress.map { $0 + filled }
            let count = try perform(.read) {
                pread(descriptor, start, buffer.count - filled, offset + filled)
            }
            if count == 0 { break }
            filled += count
        }
        return filled
    }

    func map(_ file: borrowing FileDescriptor, count: Int) throws(SystemError) -> UnsafeMutableRawPointer {
        let descriptor = file.raw
        var address: UnsafeMutableRawPointer?
        _ = try perform(.map) {
            // Writable, because `Data` with one owner is changed in place. The file does not change.
            let flags = MAP_PRIVATE | MAP_NORESERVE
            address = mmap(nil, count, PROT_READ | PROT_WRITE, flags, descriptor, 0)
            return address == MAP_FAILED ? CInt(-1) : 0
        }
        guard let address else { throw SystemError(.map, code: EINVAL, path: "") }
        return address
    }

    func setAttribute(
        _ name: UnsafePointer<CChar>, _ value: [UInt8], of file: borrowing FileDescriptor
    ) throws(SystemError) {
        let descriptor = file.raw
        _ = try perform(.setAttribute) { fsetxattr(descriptor, name, value, value.count, 0) }
    }

    /// The value of an extended attribute, or nil if it is absent, unsupported or not readable.
    func attribute(
        _ name: UnsafePointer<CChar>, of file: borrowing FileDescriptor
    ) throws(SystemError) -> [UInt8]? {
        let descriptor = file.raw
        return try attribute { fgetxattr(descriptor, name, $0.baseAddress, $0.count) }
    }

    func attribute(
        _ name: UnsafePointer<CChar>, ofPath path: UnsafePointer<CChar>
    ) throws(SystemError) -> [UInt8]? {
        try attribute { lgetxattr(path, name, $0.baseAddress, $0.count) }
    }

    private func attribute(
        _ get: (UnsafeMutableBufferPointer<UInt8>) -> Int
    ) throws(SystemError) -> [UInt8]? {
        var value = [UInt8](repeating: 0, count: 256)
        while true {
            do {
                let count = try perform(.getAttribute) { value.withUnsafeMutableBufferPointer { get($0) } }
                value.removeLast(value.count - count)
                return value
            } catch {
                switch error.code {
                case ENODATA, ENOTSUP, ENOSYS, EPERM, EACCES: return nil
                case ERANGE where value.count < Self.largestAttribute:
                    value = [UInt8](repeating: 0, count: Self.largestAttribute)
                default: throw error
                }
            }
        }
    }

    /// The kernel's limit on the value of one extended attribute.
    private static var largestAttribute: Int { 65_536 }

    func setMode(_ mode: mode_t, of file: borrowing FileDescriptor) throws(SystemError) {
        let descriptor = file.raw
        _ = try perform(.setMode) { fchmod(descriptor, mode) }
    }

    func setTimes(
        of file: borrowing FileDescriptor, accessed: Date?, modified: Date?
    ) throws(SystemError) {
        let descriptor = file.raw
        _ = try perform(.setTimes) {
            withTimes(accessed: accessed, modified: modified) { futimens(descriptor, $0) }
        }
    }

    private func withTimes(
        accessed: Date?, modified: Date?, _ body: (UnsafePointer<timespec>) -> CInt
    ) -> CInt {
        let times = (
            accessed.map { timespec($0) } ?? .unchanged, modified.map { timespec($0) } ?? .unchanged
        )
        return withUnsafeBytes(of: times) { bytes in
            guard let first = bytes.bindMemory(to: timespec.self).baseAddress else { return -1 }
            return body(first)
        }
    }

    func sync(_ file: borrowing FileDescriptor) throws(SystemError) {
        let descriptor = file.raw
        _ = try perform(.sync) { fsync(descriptor) }
    }

    /// Takes the advisory lock of an open folder, unless another process has it. Closing the folder releases
    /// it.
    func tryLock(_ folder: borrowing FileDescriptor) throws(SystemError) -> Bool {
        let descriptor = folder.raw
        do {
            _ = try perform(.lock) { flock(descriptor, LOCK_EX | LOCK_NB) }
            return true
        } catch {
            if error.code == EWOULDBLOCK { return false }
            throw error
        }
    }

    /// Closes a written file. Some file systems report a failed write only here.
    func close(_ file: consuming FileDescriptor) throws(SystemError) {
        let descriptor = file.raw
        file.relinquish()
        // Linux frees the descriptor even if this fails, so the call must be made exactly once.
        let result = Glibc.close(descriptor)
        let code = errno
        _ = try perform(.close) {
            errno = code
            return result == 0 || code == EINTR ? CInt(0) : -1
        }
    }
}

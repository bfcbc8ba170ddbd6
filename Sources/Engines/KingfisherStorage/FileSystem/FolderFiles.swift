import CLinux
import Glibc

/// The files of a folder and its subfolders, for names from untrusted clients.
///
/// No name leads out of the folder: links are refused, wherever they point, and so are empty and dot
/// components. The folder stays the same one if its path is renamed. Safe from any thread.
package final class FolderFiles: Sendable {
    private let folder: FileDescriptor
    /// Whether the kernel resolves paths beneath a folder (openat2, Linux 5.6). Tests turn it off.
    private let usesKernel: Bool

    /// Opens a folder, following links.
    package init(path: String, usesKernel: Bool = true) throws(SystemError) {
        let descriptor = Glibc.open(path, kf_linux_open_path_only() | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError(.open, code: errno, path: path) }
        folder = FileDescriptor(raw: descriptor)
        self.usesKernel = usesKernel
    }

    /// Calls `body` with the descriptor of a regular file, open for reading, which is closed afterwards.
    ///
    /// - Parameter path: A relative path.
    /// - Throws: Code `ENOENT` if there is no such file, `ELOOP` for a link, `EXDEV` for a path that could
    ///   lead out of the folder, `EINVAL` for what is not a regular file.
    package func withFile<Value>(
        _ path: String, _ body: (CInt) throws(SystemError) -> Value
    ) throws(SystemError) -> Value {
        let file = try open(path)
        var status = stat()
        guard fstat(file.raw, &status) == 0 else { throw SystemError(.status, code: errno, path: path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError(.open, code: EINVAL, path: path) }
        return try body(file.raw)
    }

    /// The version of a regular file; nil if there is none, or if it may not be read.
    ///
    /// The file is opened for reading: O_PATH would save 13 % of the time, but not notice that permissions
    /// were taken away.
    package func version(of path: String) -> FileVersion? {
        guard let file = try? open(path) else { return nil }
        return FileVersion(descriptor: file.raw)
    }

    private func open(_ path: String) throws(SystemError) -> FileDescriptor {
        let names = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let isOrdinary = names.allSatisfy { name in
            !name.isEmpty && !name.elementsEqual(".".utf8) && !name.elementsEqual("..".utf8)
                && !name.contains(0)
        }
        guard isOrdinary else { throw SystemError(.open, code: EXDEV, path: path) }
        if usesKernel {
            let descriptor = kf_linux_open_beneath(folder.raw, path)
            if descriptor >= 0 { return FileDescriptor(raw: descriptor) }
            // Filters of system calls answer EPERM for calls that they do not know.
            guard errno == ENOSYS || errno == EPERM else { throw SystemError(.open, code: errno, path: path) }
        }
        return try open(names.map { String(Substring($0)) }, of: path)
    }

    /// Opens one component after the other, each in the folder that was opened before.
    private func open(_ names: [String], of path: String) throws(SystemError) -> FileDescriptor {
        var parent: FileDescriptor?
        for name in names.dropLast() {
            let flags = kf_linux_open_path_only() | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
            let raw = openat(parent?.raw ?? folder.raw, name, flags)
            // A link that is no folder: O_DIRECTORY fails first.
            guard raw >= 0 else { throw SystemError(.open, code: errno, path: path) }
            parent = FileDescriptor(raw: raw)
        }
        let raw = openat(
            parent?.raw ?? folder.raw, names.last ?? "", O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
        guard raw >= 0 else { throw SystemError(.open, code: errno, path: path) }
        return FileDescriptor(raw: raw)
    }
}

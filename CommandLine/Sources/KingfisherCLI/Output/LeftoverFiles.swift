import Glibc

/// Temporary files of killed runs: regular files of this user named `.NAME.N.part`, where N is a number, that
/// are not locked by a process.
///
/// A writer holds the lock from creation until the file has its final name. The system releases the lock when
/// the process ends. On a file system without locks, nothing is removed.
enum LeftoverFiles {
    /// Limits for one run: names examined, and files removed.
    private static let (maximumNames, maximumRemoved) = (100_000, 1_000)

    static func name(for name: String, number: UInt32) -> String {
        var name = name
        // The maximum length of a name is 255 bytes.
        while SystemText.bytes(name).count > 230 { name.removeLast() }
        return ".\(name).\(number).part"
    }

    static func remove(from folder: String) {
        guard let stream = folder.withSystemPath({ opendir($0) }) else { return }
        defer { closedir(stream) }
        var (examined, removed) = (0, 0)
        while examined < maximumNames, removed < maximumRemoved, let entry = readdir(stream) {
            examined += 1
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { SystemText.text($0) }
            }
            if isLeftover(name), remove(name, from: dirfd(stream)) { removed += 1 }
        }
    }

    static func isLeftover(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0].isEmpty, parts.last == "part", !parts[1].isEmpty || parts.count > 4
        else { return false }
        let number = parts[parts.count - 2]
        return UInt32(number).map { String($0) == number } ?? false
    }

    private static func remove(_ name: String, from folder: Int32) -> Bool {
        guard let found = status(name, folder), found.st_mode & S_IFMT == S_IFREG, found.st_uid == geteuid()
        else { return false }
        let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let file = name.withSystemPath { openat(folder, $0, flags) }
        guard file >= 0 else { return false }
        defer { close(file) }
        var opened = stat()
        // A writer may have renamed its file since, so the name must still refer to the opened file.
        guard flock(file, LOCK_EX | LOCK_NB) == 0, fstat(file, &opened) == 0,
            let named = status(name, folder), named.st_dev == opened.st_dev, named.st_ino == opened.st_ino
        else { return false }
        return name.withSystemPath { unlinkat(folder, $0, 0) } == 0
    }

    private static func status(_ name: String, _ folder: Int32) -> stat? {
        var status = stat()
        return name.withSystemPath { fstatat(folder, $0, &status, AT_SYMLINK_NOFOLLOW) } == 0 ? status : nil
    }
}

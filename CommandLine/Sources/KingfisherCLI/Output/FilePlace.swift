import Glibc

/// What two paths have in common that lead to one file, however they are written: the same device and inode,
/// also through links, or, as far as there is nothing yet, the same names below the same folder.
struct FilePlace: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64
    /// What is missing below the folder.
    private let rest: [String]

    /// The place of a file that is open; nil for what is no file.
    init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        self.init(status, [])
    }

    /// Nil where not even a folder above it can be found.
    init?(_ path: String) {
        var (folder, rest) = (path, [String]())
        while true {
            if let status = folder.fileStatus {
                self.init(status, rest.reversed())
                return
            }
            guard folder != ".", folder != "/", !folder.isEmpty else { return nil }
            let parts = folder.folderAndName
            rest.append(parts.name)
            folder = parts.folder
        }
    }

    private init(_ status: stat, _ rest: [String]) {
        (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
        self.rest = rest
    }

    /// The file that a path leads to, and the name in its folder under which it is there, or would be.
    static func all(of path: String) -> [FilePlace] {
        var path = path
        // As many links as the system itself follows.
        for _ in 0..<40 {
            guard let target = linkTarget(path) else { break }
            path = target.hasPrefix("/") ? target : "\(path.folderAndName.folder)/\(target)"
        }
        let (folder, name) = path.folderAndName
        let named = FilePlace(folder).map { FilePlace($0, appending: name) }
        return [FilePlace(path), named].compactMap(\.self)
    }

    private init(_ folder: FilePlace, appending name: String) {
        (device, inode) = (folder.device, folder.inode)
        rest = folder.rest + [name]
    }

    private static func linkTarget(_ path: String) -> String? {
        var room = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = path.withSystemPath { readlink($0, &room, room.count) }
        return count > 0 ? SystemText.text(room[..<count].map { UInt8(bitPattern: $0) }) : nil
    }
}

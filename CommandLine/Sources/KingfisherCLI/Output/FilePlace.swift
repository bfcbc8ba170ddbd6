import Glibc

/// The identity of a file for which several paths may exist: device and inode, after following links, or for
/// a missing file the remaining names below an existing folder.
struct FilePlace: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64
    /// The missing path components below the folder.
    private let rest: [String]

    /// The identity of an open file; nil if it is not a regular file.
    init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        self.init(status, [])
    }

    /// Nil if no folder of the path exists.
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

    /// The identity of the file at a path, and the identity of its name in its folder, after following links.
    static func all(of path: String) -> [FilePlace] {
        var path = path
        // Linux follows at most 40 links.
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
        return count > 0 ? SystemText.text(room[..<count].map { UInt8(truncatingIfNeeded: $0) }) : nil
    }
}

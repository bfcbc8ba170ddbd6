package import Foundation

/// Where the tests of a process keep files.
package enum TestFolders {
    /// A place for a folder that no other test has; nothing is there yet.
    package static func unused() -> URL { root.appending(path: UUID().uuidString) }

    /// Goes when the process ends, as a cache may write after its test has removed the cache's folder.
    private static let root: URL = {
        atexit { try? FileManager.default.removeItem(at: root) }
        return FileManager.default.temporaryDirectory.appending(path: "kingfisher-\(UUID().uuidString)")
    }()
}

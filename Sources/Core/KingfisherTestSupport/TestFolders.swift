package import Foundation

/// Temporary folders for the tests of a process.
package enum TestFolders {
    /// A unique URL for a folder, where nothing exists yet.
    package static func unused() -> URL { root.appending(path: UUID().uuidString) }

    /// Removed at exit, because a cache may write after its test has removed the cache's folder.
    private static let root: URL = {
        atexit { try? FileManager.default.removeItem(at: root) }
        return FileManager.default.temporaryDirectory.appending(path: "kingfisher-\(UUID().uuidString)")
    }()
}

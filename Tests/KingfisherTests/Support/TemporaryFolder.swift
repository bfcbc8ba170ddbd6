import Foundation
import KingfisherTestSupport

/// A new folder that is removed with its last reference.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = TestFolders.unused()
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}

import Foundation
import KingfisherTestSupport

/// A folder of its own for one test, removed when nobody holds it any more.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = TestFolders.unused()
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}

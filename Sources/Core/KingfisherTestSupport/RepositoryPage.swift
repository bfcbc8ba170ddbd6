import Foundation

package enum RepositoryPage {
    /// The text of the page at `path`, relative to the root of the repository.
    package static func text(_ path: String) throws -> String {
        let top = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        return try String(contentsOf: top.appending(path: path), encoding: .utf8)
    }
}

import Foundation

/// A page of this repository, for tests that hold it to the sources.
package enum RepositoryPage {
    /// The text of the page at `path`, from the top of the repository.
    package static func text(_ path: String) throws -> String {
        let top = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        return try String(contentsOf: top.appending(path: path), encoding: .utf8)
    }
}

import Foundation

/// A text for the process of an exit test: a closure of an exit test can capture values only since Swift 6.3.
///
///     private static let address = ExitTestText("address of the server")
///
///     try await Self.address.give(server.url().absoluteString) {
///         await #expect(processExitsWith: .success) { … try Self.address.received … }
///     }
package struct ExitTestText: Sendable {
    private let name: String

    /// - Parameter name: Different for each text of a test process.
    package init(_ name: String) {
        self.name = name
    }

    /// Runs tests whose processes receive the text. Must not run twice at the same time.
    package func give(_ text: String, _ body: () async throws -> Void) async throws {
        let file = file(from: getpid())
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await body()
    }

    /// The text, in the process of an exit test.
    package var received: String {
        get throws { try String(contentsOf: file(from: getppid()), encoding: .utf8) }
    }

    private func file(from process: pid_t) -> URL {
        FileManager.default.temporaryDirectory.appending(path: "exit-test-\(process)-\(name)")
    }
}

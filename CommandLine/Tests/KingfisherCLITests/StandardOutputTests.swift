import Foundation
import Glibc
import KingfisherTestSupport
import Testing

@Suite("Standard output")
struct StandardOutputTests {
    private let tool = Tool()
    private let photo = Fixtures.url(named: "Photos/coffee.jpg").path

    static let commands = [
        "info PHOTO", "info PHOTO --json", "cache list --cache .", "cache info --cache .",
        "cache verify --cache . --json", "cache path PHOTO --cache .", "processors", "--help", "help get",
        "--version", "--generate-completion-script bash", "--experimental-dump-help",
        "get PHOTO -o out.jpg --no-cache", "get PHOTO -o out.jpg --no-cache --json",
        "get PHOTO -o - --no-cache",
    ]

    @Test("A failed write is an error with its reason", arguments: commands)
    func unwritable(command: String) async throws {
        let command = "kingfisher " + command.replacing("PHOTO", with: "'\(photo)'")
        _ = try await tool.run(["get", photo, "-o", "first.jpg", "--cache", "."])
        for (redirection, code) in [(">/dev/full", ENOSPC), (">&-", EBADF)] {
            let result = try await tool.shell("\(command) \(redirection)")
            #expect(result.status == 1)
            let reason = String(cString: strerror(code))
            #expect(result.errors == "kingfisher: cannot write standard output: \(reason)\n")
        }
        if command.contains("out.jpg") {
            #expect(FileManager.default.contentsEqual(atPath: tool.folder.path("out.jpg"), andPath: photo))
        }
        #expect(try await tool.shell("\(command) 2>&- >/dev/null").status == 0)
        #expect(try await tool.shell("\(command) >&- 2>&-").status == 1)
        #expect(try await tool.shell("\(command) >&- 2>&- <&-").status == 1)
    }

    @Test("A closed pipe ends the output without an error", arguments: commands)
    func brokenPipe(command: String) async throws {
        let command = "kingfisher " + command.replacing("PHOTO", with: "'\(photo)' ")
        _ = try await tool.run(["get", photo, "-o", "first.jpg", "--cache", "."])
        // The writer starts after the reader has ended.
        let result = try await tool.shell(
            """
            mkfifo pipe; { head -c 0 <pipe; touch closed; } &
            { until [ -e closed ]; do :; done; \(command); } >pipe
            """)
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
    }

    @Test("A closed standard descriptor is not reused for an output file")
    func closedDescriptors() async throws {
        let result = try await tool.shell("kingfisher get '\(photo)' -o a.jpg --cache cache >&- 2>&- <&-")
        #expect(result.status == 1)
        #expect(FileManager.default.contentsEqual(atPath: tool.folder.path("a.jpg"), andPath: photo))
        #expect(try await tool.shell("kingfisher cache verify --cache cache").status == 0)
    }
}

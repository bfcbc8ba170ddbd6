import Foundation
import KingfisherTestSupport
import Testing

@Suite("Outputs that are sources")
struct SourceIsOutputTests {
    private let tool = Tool()
    private let photo = Fixtures.url(named: "Photos/coffee.jpg").path

    /// Creates `self.jpg` with links to it, and `out` with another file.
    private func prepare() async throws {
        let result = try await tool.shell(
            """
            set -e
            cp '\(photo)' self.jpg; ln -s self.jpg link.jpg; ln self.jpg hard.jpg; ln -s link.jpg second.jpg
            mkdir -p out/below; ln -s out folder; cp '\(photo)' out/own.jpg; ln -s out/own.jpg own.jpg
            ln out/own.jpg other.jpg; ln -s out/new.jpg dangling.jpg; cp '\(photo)' new.jpg
            """)
        #expect(result.status == 0)
    }

    @Test(
        "A source is never replaced, under any path",
        arguments: [
            "self.jpg -o self.jpg", "self.jpg -o ./out/../self.jpg", "self.jpg -o $PWD/self.jpg",
            "self.jpg -o link.jpg", "self.jpg -o second.jpg", "self.jpg -o hard.jpg",
            "link.jpg -o self.jpg", "hard.jpg -o self.jpg", "file://$PWD/self.jpg -o self.jpg",
            "out/../self.jpg -o self.jpg", "folder/own.jpg -o out/own.jpg",
            "own.jpg -o out/", "own.jpg -o folder", "./out/../own.jpg -o out",
            "self.jpg -f jpeg -o - >>self.jpg",
        ])
    func refused(arguments: String) async throws {
        try await prepare()
        let result = try await tool.shell("kingfisher get --no-cache \(arguments) -f jpeg --quality 50")
        #expect(result.status == 1)
        #expect(result.errors.hasPrefix("kingfisher: cannot write "))
        #expect(result.errors.hasSuffix(": it is also a SOURCE; choose another output with -o\n"))
        for name in ["self.jpg", "hard.jpg", "out/own.jpg"] {
            #expect(FileManager.default.contentsEqual(atPath: tool.folder.path(name), andPath: photo))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: tool.folder.path("out")).count == 2)
    }

    @Test("JSON names the error")
    func json() async throws {
        try await prepare()
        let result = try await tool("get", "self.jpg", "-o", "hard.jpg", "--json", "--no-cache")
        let object = try #require(try result.objects().first)
        #expect(object["error"] as? String == "outputIsSource")
        #expect(
            object["message"] as? String
                == "cannot write hard.jpg: it is also a SOURCE; choose another output with -o")
    }

    @Test("No output replaces a later source, even a missing one")
    func laterSource() async throws {
        try await prepare()
        // The second source is a link to the first output.
        let result = try await tool("get", "new.jpg", "dangling.jpg", "-o", "out/", "--no-cache")
        #expect(result.status == 1)
        #expect(!FileManager.default.fileExists(atPath: tool.folder.path("out/new.jpg")))
        // In one folder, another name is chosen.
        let named = try await tool(
            "get", "self.jpg", "made/self.jpg", "made/./below/../self.jpg", "-o", "made", "--no-cache")
        #expect(named.status == 1)
        #expect(named.lines.map { $0.prefix { $0 != ":" } } == ["made/self-2.jpg"])
    }

    @Test("Another file with the same bytes is replaced")
    func replaced() async throws {
        try await prepare()
        let result = try await tool("get", "self.jpg", "-o", "new.jpg", "-p", "bw", "--no-cache")
        #expect(result.status == 0)
        #expect(!FileManager.default.contentsEqual(atPath: tool.folder.path("new.jpg"), andPath: photo))
    }
}

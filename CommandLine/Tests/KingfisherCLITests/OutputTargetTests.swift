import Foundation
import Testing

@testable import KingfisherCLI

@Suite("Output targets")
struct OutputTargetTests {
    private func target(_ path: String?, sources: Int = 1, isFolder: Bool = false) throws -> OutputTarget {
        try OutputTarget(path, sources: sources) { _ in isFolder }
    }

    @Test("-o is a file, a folder or standard output")
    func forms() throws {
        #expect(try target("out.png") == .file("out.png"))
        #expect(try target("out.png", isFolder: true) == .folder("out.png"))
        #expect(try target("out/") == .folder("out"))
        #expect(try target("a/out//") == .folder("a/out"))
        #expect(try target("/") == .folder("/"))
        #expect(try target("out", sources: 2) == .folder("out"))
        #expect(try target("-") == .standardOutput)
        #expect(try target(nil) == .folder(nil))
        #expect(throws: OutputTargetError.empty) { try target("") }
        #expect(throws: OutputTargetError.severalToStandardOutput) { try target("-", sources: 2) }
    }

    @Test("For several images, an image's name is refused unless it is a folder or ends in a slash")
    func severalToOneFile() throws {
        for name in ["one.png", "a/one.JPG", "b.c/one.gif"] {
            #expect(throws: OutputTargetError.severalToOneFile(name)) { try target(name, sources: 2) }
        }
        #expect(try target("one.png", sources: 2, isFolder: true) == .folder("one.png"))
        #expect(try target("one.png/", sources: 2) == .folder("one.png"))
        for name in ["2026.11", "photos", ".png", "x.png/y"] {
            #expect(try target(name, sources: 2) == .folder(name))
        }
    }

    @Test("The output folder is that of the file, after following links")
    func folder() throws {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path("a"), withIntermediateDirectories: false)
        try Data([1]).write(to: URL(filePath: folder.path("a/b.png")))
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link.png"), withDestinationPath: folder.path("a/b.png"))
        let real = try #require(folder.path("a").realPath)
        #expect(try target(folder.path("link.png")).folder == real)
        #expect(try target(folder.path("new.png")).folder == folder.url.path)
        #expect(try target("new.png").folder == ".")
        #expect(try target("a/").folder == "a")
        #expect(try target(nil).folder == ".")
        #expect(try target("-").folder == nil)
        #expect(try target("/dev/null").folder == nil)
    }

    @Test("File paths keep the folder as given")
    func paths() {
        #expect(OutputTarget.path(of: "a.png", in: nil) == "a.png")
        #expect(OutputTarget.path(of: "a.png", in: "x/y") == "x/y/a.png")
        #expect(OutputTarget.path(of: "a.png", in: "/") == "/a.png")
    }

    @Test(
        "The file extension determines the format",
        arguments: [
            ("a.png", OutputFormat.png), ("a.JPG", .jpeg), ("x.y/a.jpeg", .jpeg), ("a.gif", .gif),
            ("a.apng", .apng),
            ("a", nil), (".png", nil), ("x.y/a", nil),
        ])
    func format(path: String, format: OutputFormat?) throws {
        #expect(try target(path).format == format)
    }

    @Test("An unknown extension is refused")
    func unknownExtension() {
        #expect(throws: OutputTargetError.unknownExtension("xcf")) { try target("a.xcf").format }
    }
}

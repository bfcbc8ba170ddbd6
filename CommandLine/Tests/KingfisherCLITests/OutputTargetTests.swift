import Testing

@testable import KingfisherCLI

@Suite("Outputs")
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

    @Test("Paths in a folder stay as the folder was given")
    func paths() {
        #expect(OutputTarget.path(of: "a.png", in: nil) == "a.png")
        #expect(OutputTarget.path(of: "a.png", in: "x/y") == "x/y/a.png")
        #expect(OutputTarget.path(of: "a.png", in: "/") == "/a.png")
    }

    @Test(
        "A file's extension says the format",
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
        #expect(throws: OutputTargetError.unknownExtension("tiff")) { try target("a.tiff").format }
    }
}

import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@testable import KingfisherCLI

@Suite("Formats") struct FormatsTests {
    private let tool = Tool()

    init() { Main.registerFormats() }

    private func file(_ name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: tool.folder.path(name)))
    }

    @Test("formats lists what the codecs declare")
    func list() async throws {
        let objects = try await tool("formats", "--json").objects()
        #expect(objects.count == ImageCodecs.formats.count)
        for object in objects {
            let name = try #require(object["format"] as? String)
            let codec = try #require(
                ImageCodecs.formats.compactMap { ImageCodecs.codec(for: $0) }
                    .first { $0.format.name.lowercased() == name })
            #expect(object["extensions"] as? [String] == codec.fileExtensions)
            let writes = try #require(object["writes"] as? [String])
            #expect(writes.isEmpty == ["heic", "ico", "raw", "svg", "tiff"].contains(name))
            #expect(writes.contains("lossy") == codec.capabilities.contains(.encodesLossy))
        }
        let text = try await tool("formats")
        #expect(text.status == 0 && text.lines.count >= 2 * objects.count)
        #expect(try await tool("formats", "--json", "--markdown").status == 2)
    }

    @Test(
        "The table on the page is printed by the tool",
        .enabled(if: ProcessInfo.processInfo.environment["KINGFISHER_WITHOUT"] == nil))
    func page() async throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let page = try String(contentsOf: folder.appending(path: "docs/formats.md"), encoding: .utf8)
        let table = String(decoding: try await tool("formats", "--markdown").output, as: UTF8.self)
        #expect(page.contains(table), "scripts/formats --update writes it")
    }

    @Test("Every format that can be written is read again", arguments: OutputFormatNames.all)
    func everyFormat(name: String) async throws {
        let photo = Fixtures.url(named: "Photos/coffee.jpg").path
        let made = try await tool(
            "get", photo, "-p", "downsample:90x90", "-f", name, "-o", "a", "--no-cache")
        #expect(made.status == 0, "\(made.errors)")
        // A single frame of APNG is a PNG.
        #expect(try file("a").kf.imageInfo?.format.name.lowercased() == (name == "apng" ? "png" : name))
        let back = try await tool("get", "a", "-p", "downsample:30x30", "-o", "\(name).png", "--no-cache")
        #expect(back.status == 0, "\(back.errors)")
        #expect(try #require(Image(data: file("\(name).png"))?.pixels).size.width == 30)
    }

    @Test("An icon is read and copied, but not written")
    func icon() async throws {
        guard ImageCodecs.format(forFileExtension: "ico") != nil else { return }
        let folder = Fixtures.url(named: "ICO").path
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted().first {
                $0.hasSuffix(".ico")
            })
        let icon = "\(folder)/\(name)"
        #expect(try await tool("get", icon, "-o", "a.ico", "--no-cache").status == 0)
        #expect(try file("a.ico") == Data(contentsOf: URL(filePath: icon)))
        #expect(try await tool("get", icon, "-o", "a.png", "--no-cache").status == 0)
        #expect(try file("a.png").kf.imageFormat == .PNG)
        let failed = try await tool("get", "a.png", "-o", "b.ico", "--no-cache")
        #expect(failed.status == 1)
        #expect(failed.errors.contains("cannot encode as ico: encoding ICO is not supported"))
        #expect(try await tool("get", icon, "-f", "ico").status == 2)
    }
}

/// The names of `-f`, for the arguments of a test.
enum OutputFormatNames {
    static var all: [String] {
        Main.registerFormats()
        return OutputFormat.allValueStrings
    }
}

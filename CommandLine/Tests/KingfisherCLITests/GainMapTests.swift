import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@testable import KingfisherCLI

/// Gain maps in `kingfisher get`, `info` and `edit`.
@Suite struct GainMapTests {
    private let tool = Tool()

    init() { Main.registerFormats() }

    private func fixture(_ name: String) -> String { Fixtures.url(named: "GainMaps/\(name).jpg").path }

    private func gainMap(_ name: String) throws -> GainMap? {
        GainMap(of: try Data(contentsOf: URL(filePath: tool.folder.path(name))))
    }

    @Test(arguments: ["keep", "keep-without-location", "copyright", "strip"])
    func `A gain map is kept in a smaller JPEG with every --metadata, also from the cache`(
        _ metadata: String
    ) async throws {
        let arguments = [
            "get", fixture("both"), "-o", "a.jpg", "-p", "fit:24x24", "--cache", tool.cache, "--metadata",
            metadata, "--json",
        ]
        // Twice, because the second result comes from the cache.
        for _ in 0..<2 {
            let result = try await tool.run(arguments)
            let line = try #require(try result.objects().first)
            #expect(line["gainMap"] as? String == "kept" && line["gainMapReason"] == nil)
            #expect(result.status == 0 && result.errors.isEmpty)
            let map = try #require(try gainMap("a.jpg"))
            #expect(map.forms == [.ultraHDR, .iso] && map.size == PixelSize(width: 4, height: 6))
        }
    }

    @Test(arguments: ["keep", "keep-without-location", "copyright", "strip"])
    func `A gain map is kept in a copied file`(_ metadata: String) async throws {
        let result = try await tool(
            "get", fixture("both"), "-o", "a.jpg", "--no-cache", "--metadata", metadata)
        #expect(result.status == 0 && result.errors.isEmpty)
        #expect(try gainMap("a.jpg")?.size == PixelSize(width: 8, height: 12))
    }

    @Test(
        arguments: [
            (["-o", "a.png"], "format", "no place"),
            (["-o", "a.png", "-p", "fit:9x9"], "format", "no place"),
            (["-o", "a.jpg", "-p", "blur:2"], "processing", "more than crop"),
            (["-o", "a.jpg", "--quality", "50", "--max-bytes", "1200"], "length", "too long"),
        ])
    func `A dropped gain map is reported, and the base image is written`(
        _ arguments: [String], _ reason: String, _ message: String
    ) async throws {
        let get = ["get", fixture("iso"), "--no-cache"] + arguments
        let result = try await tool.run(get + ["--json"])
        let line = try #require(try result.objects().first)
        #expect(line["gainMap"] as? String == "dropped" && line["gainMapReason"] as? String == reason)
        let plain = try await tool.run(get)
        #expect(plain.status == 0 && plain.errors.contains(": the gain map was dropped: "))
        #expect(plain.errors.contains(message) && plain.errors.split(separator: "\n").count == 1)
        let quiet = try await tool.run(get + ["--quiet"])
        #expect(quiet.status == 0 && quiet.errors.isEmpty)
        #expect(try gainMap(arguments[1]) == nil)
    }

    @Test func `An image without a gain map has no member for it`() async throws {
        let photo = Fixtures.url(named: "Metadata/bare.jpg").path
        let result = try await tool("get", photo, "-o", "a.png", "--no-cache", "--json")
        #expect(try result.objects().first?["gainMap"] == nil && result.errors.isEmpty)
    }

    @Test func `info names a gain map`() async throws {
        let result = try await tool("info", fixture("both"))
        #expect(
            result.lines.last
                == "    gain map: Ultra HDR and ISO 21496-1, 8 x 12 pixels, HDR capacity 2.30 stops")
        let line = try #require(try await tool("info", fixture("both"), "--json").objects().first)
        #expect(line["gainMapForms"] as? [String] == ["ultra-hdr", "iso-21496-1"])
        #expect(line["gainMapWidth"] as? Int == 8 && line["gainMapHeight"] as? Int == 12)
        #expect(line["gainMap"] as? Bool == true && line["gainMapCapacity"] as? Double == 2.3)
        let plain = try await tool("info", Fixtures.url(named: "Metadata/bare.jpg").path, "--json")
        #expect(try plain.objects().first?["gainMapForms"] == nil && plain.lines.count == 1)
    }

    @Test(arguments: ["--strip", "--no-location", "--keep-copyright", "--turn"])
    func `edit keeps a gain map`(_ option: String) async throws {
        let more = option == "--turn" ? ["90"] : []
        let result = try await tool.run(["edit", fixture("both"), option] + more + ["-o", "a.jpg"])
        #expect(result.status == 0)
        let size = PixelSize(width: 8, height: 12)
        #expect(try gainMap("a.jpg")?.size == (option == "--turn" ? size.swapped : size))
    }
}

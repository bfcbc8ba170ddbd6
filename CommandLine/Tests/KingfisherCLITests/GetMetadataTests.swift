import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@testable import KingfisherCLI

/// `kingfisher get --metadata` and `kingfisher info --metadata`.
@Suite struct GetMetadataTests {
    private let tool = Tool()
    private let camera = Fixtures.url(named: "Metadata/camera.jpg").path

    init() { Main.registerFormats() }

    private func metadata(_ name: String) throws -> ImageMetadata {
        try ImageMetadata(of: try Data(contentsOf: URL(filePath: tool.folder.path(name))))
    }

    private func get(_ arguments: String...) async throws -> Tool.Result {
        try await tool.run(["get", "--cache", tool.cache] + arguments)
    }

    @Test(arguments: ["a.jpg", "a.webp", "a.png", "steps.jpg", "steps.png", "uncached.jpg"])
    func `An output has the metadata that --metadata asks for, without a location by default`(
        _ name: String
    ) async throws {
        var arguments = [camera, "-o", name]
        if !name.hasPrefix("a.") { arguments += ["-p", "downsample:9x9"] }
        if name.hasPrefix("uncached") {
            arguments.append("--no-cache")
        } else {
            arguments += ["--cache", tool.cache]
        }
        func run(_ more: String...) async throws -> ImageMetadata {
            #expect(try await tool.run(["get"] + arguments + more).status == 0)
            return try metadata(name)
        }
        // Twice, because the second result comes from the cache.
        for _ in 0..<2 {
            let plain = try await run()
            #expect(plain.location == nil && plain.exif?.make == "Kingfisher")
            #expect(plain.orientation == (name == "a.jpg" ? .right : .up))
        }
        let kept = try await run("--metadata", "keep")
        #expect(kept.location != nil && kept.exif?.make == "Kingfisher")
        let names = try await run("--metadata", "copyright")
        #expect(names.exif?.make == nil && names.exif?.artist == "Ada Lovelace" && names.location == nil)
        let stripped = try await run("--metadata", "strip")
        #expect(stripped.exif?.artist == nil && stripped.location == nil && stripped.xmp == nil)
    }

    @Test func `Metadata of a downloaded image is kept after steps, and it is loaded once`() async throws {
        let photo = try Fixtures.data(named: "Metadata/camera.jpg")
        let server = try LoopbackServer { _ in .ok(photo) }
        let url = server.url("/a.jpg").absoluteString
        for arguments in [[], ["--refresh"], ["--only-from-cache"]] {
            let run = ["get", url, "-o", "a.jpg", "-p", "downsample:9x9", "--cache", tool.cache] + arguments
            #expect(try await tool.run(run).status == 0)
            let made = try metadata("a.jpg")
            #expect(made.exif?.make == "Kingfisher" && made.location == nil)
        }
        #expect(server.requests.count == 2)
    }

    @Test func `A location that cannot be removed is an error, and nothing is written`() async throws {
        let avif = try Fixtures.data(named: "AVIF/layers.avif")
        try avif.write(to: URL(filePath: tool.folder.path("plain.avif")))
        let exif = try #require(try ImageMetadataBlocks(of: Data(contentsOf: URL(filePath: camera))).exif)
        // In a box that readers skip.
        let length = withUnsafeBytes(of: UInt32(exif.count + 8).bigEndian) { Data($0) }
        try (avif + length + Data("free".utf8) + exif).write(
            to: URL(filePath: tool.folder.path("there.avif")))
        #expect(try await get("plain.avif", "-o", "a.avif").status == 0)
        #expect(try Data(contentsOf: URL(filePath: tool.folder.path("a.avif"))) == avif)
        let result = try await get("there.avif", "-o", "b.avif", "--json")
        #expect(result.status == 1)
        #expect(try result.objects().first?["error"] as? String == "cannotChangeMetadata")
        #expect(result.errors.contains("removing the location of AVIF"))
        #expect(result.errors.contains("--metadata keep"))
        #expect(try await get("there.avif", "-o", "c.avif", "--metadata", "strip").status == 1)
        #expect(try await get("there.avif", "-o", "d.avif", "--metadata", "keep").status == 0)
        #expect(try await get("there.avif", "-o", "e.png").status == 0)
        let edited = try await tool("edit", "there.avif", "--no-location")
        #expect(edited.status == 1 && edited.errors.hasPrefix("kingfisher: there.avif: "))
        #expect(
            try tool.folder.names() == ["a.avif", "cache", "d.avif", "e.png", "plain.avif", "there.avif"])
    }

    @Test func `--max-bytes includes metadata, and a wrong value is refused`() async throws {
        let photo = Fixtures.url(named: "Photos/coffee.jpg").path
        #expect(try await get(camera, "-o", "a.jpg", "--quality", "80", "--metadata", "keep").status == 0)
        let limit = try Data(contentsOf: URL(filePath: tool.folder.path("a.jpg"))).count - 1
        #expect(
            try await get(camera, "-o", "a.jpg", "--quality", "80", "--max-bytes", "\(limit)").status == 0)
        #expect(try Data(contentsOf: URL(filePath: tool.folder.path("a.jpg"))).count <= limit)
        #expect(try await get(photo, "-o", "b.jpg", "--metadata", "some").status == 2)
    }

    @Test func `info --metadata prints every field and the XMP packet`() async throws {
        let lines = try await tool("info", camera, "--metadata").lines
        let object = try #require(try await tool("info", camera, "--json").objects().first)
        for field in ["make", "artist", "exposureTime", "dateTaken"] {
            #expect(lines.contains { $0.hasPrefix("    exif.\(field): ") }, "\(field)")
        }
        let exif = try #require(object["exif"] as? [String: any Sendable])
        #expect(lines.count { $0.hasPrefix("    exif.") } == exif.count)
        #expect(lines.contains("    exif.make: Kingfisher"))
        #expect(lines.contains { $0.hasPrefix("    location.latitude: ") })
        #expect(lines.contains { $0.hasPrefix("    iptc.keywords: ") })
        #expect(
            lines.contains { $0.contains("<x:xmpmeta") } && !lines.contains { $0.allSatisfy(\.isWhitespace) })
        #expect(try await tool("info", camera).lines.count == 1)
        let whole = try #require(try await tool("info", camera, "--metadata", "--json").objects().first)
        #expect((whole["xmp"] as? String)?.contains("GPSLatitude") == true && object["xmp"] == nil)
    }
}

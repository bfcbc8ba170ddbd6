import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@Suite("kingfisher info")
struct InfoTests {
    private let tool = Tool()

    @Test(
        "info prints the properties of an image",
        arguments: [
            ("Photos/coffee.jpg", "jpeg", 512, 341, 1, "up", false),
            ("Photos/badge.png", "png", 256, 256, 1, "up", true),
            ("PNG/gray16-adam7.png", "png", 0, 0, 1, "up", false),
            ("JPEG/orientation-6.jpg", "jpeg", 23, 34, 1, "right", false),
            ("GIF/single.gif", "gif", 0, 0, 1, "up", false),
        ])
    func properties(
        name: String, format: String, width: Int, height: Int, frames: Int, orientation: String, alpha: Bool
    ) async throws {
        let result = try await tool("info", Fixtures.url(named: name).path, "--json")
        #expect(result.status == 0)
        let object = try #require(try result.objects().first)
        #expect(object["format"] as? String == format)
        if width > 0 {
            #expect(object["width"] as? Int == width)
            #expect(object["height"] as? Int == height)
        }
        #expect(object["frames"] as? Int == frames)
        #expect(object["orientation"] as? String == orientation)
        if format != "gif" { #expect(object["alpha"] as? Bool == alpha) }
        #expect(object["loopCount"] is NSNull && object["durations"] is NSNull)
        #expect(object["bytes"] as? Int == (try Fixtures.data(named: name).count))
    }

    @Test("info describes an animation from a server; a failure does not stop the others")
    func remote() async throws {
        let cat = try Fixtures.data(named: "Photos/cat.gif")
        let server = try LoopbackServer { $0.path == "/cat.gif" ? .ok(cat) : .status(404) }
        let source = server.url("/cat.gif").absoluteString
        let result = try await tool("info", source, server.url("/dog.gif").absoluteString, "data:,hello")
        #expect(result.status == 1)
        #expect(result.lines.count == 1)
        #expect(result.lines.first?.hasPrefix("\(source): GIF, 160 x 120 pixels, ") == true)
        #expect(result.lines.first?.contains(" frames, ") == true)
        #expect(result.lines.first?.contains(" s each), forever, orientation up") == true)
        #expect(result.errors.split(separator: "\n").count == 2)
        #expect(try tool.folder.names() == [])
    }

    @Test("info prints frame durations and loop count of an animation")
    func timing() async throws {
        let path = Fixtures.url(named: "GIF/delays.gif").path
        let object = try #require(try await tool("info", path, "--json").objects().first)
        #expect(object["frames"] as? Int == 6)
        #expect(object["loopCount"] as? Int == 4)
        #expect(object["durations"] as? [Double] == [0.1, 0.1, 0.02, 0.07, 1, 0.1])
        let line = try #require(try await tool("info", path).lines.first)
        #expect(line.contains(" 6 frames, 1.39 s (0.02 to 1 s each), 4 times, "))
    }

    @Test("info --placeholder prints the hashes that the reference implementations compute")
    func placeholder() async throws {
        let path = Fixtures.url(named: "Placeholders/coffee-32x21.png").path
        let hashes = try Self.references("coffee-32x21")
        let object = try #require(try await tool("info", path, "--placeholder", "--json").objects().first)
        #expect(object["blurHash"] as? String == hashes.blur)
        #expect(object["thumbHash"] as? String == hashes.thumb)
        #expect(object["width"] as? Int == 32)
        let text = try await tool("info", "--placeholder", path).lines
        #expect(text.dropFirst() == ["    BlurHash \(hashes.blur)", "    ThumbHash \(hashes.thumb)"])
        let plain = try #require(try await tool("info", path, "--json").objects().first)
        #expect(plain["blurHash"] == nil && plain["thumbHash"] == nil)
        #expect(try await tool("info", path).lines.count == 1)
    }

    /// Hashes by `Tests/Fixtures/generate/placeholders.py`; the first BlurHash has 4 x 3 components.
    private static func references(_ name: String) throws -> (blur: String, thumb: String) {
        let data = try Fixtures.data(named: "Placeholders/hashes.json")
        let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        let images = try #require(object?["images"] as? [[String: Any]])
        let image = try #require(images.first { $0["name"] as? String == name })
        let blur = (image["blur"] as? [String: Any])?["hashes"] as? [[String: Any]]
        let four = blur?.first { $0["x"] as? Int == 4 && $0["y"] as? Int == 3 }
        return (
            try #require(four?["hash"] as? String),
            try #require((image["thumb"] as? [String: Any])?["hash"] as? String)
        )
    }

    @Test("info --placeholder prints the hashes of whole images, as the library computes them")
    func placeholdersOfPhotos() async throws {
        var differences = 0
        for photo in ["coffee", "astronaut", "brick", "chelsea", "grass", "hubble", "retina", "rocket"] {
            let file = Fixtures.url(named: "Photos/\(photo).jpg")
            let bytes = try Data(contentsOf: file)
            let image = try #require(Image(data: bytes))
            let objects = try await tool("info", file.path, "--placeholder", "--json").objects()
            #expect(objects.first?["blurHash"] as? String == image.kf.blurHash()?.string)
            #expect(objects.first?["thumbHash"] as? String == image.kf.thumbHash()?.base64)
            let reduced = try Image.downsample(bytes, to: CGSize(width: 100, height: 100), scale: 1)
            if reduced.kf.blurHash() != image.kf.blurHash() { differences += 1 }
        }
        // Otherwise images that are reduced first would also pass.
        #expect(differences > 0)
    }

    @Test("info --placeholder reports a file whose header is valid and whose pixels are truncated")
    func truncatedPlaceholder() async throws {
        let bytes = try Fixtures.data(named: "Placeholders/noise-29x13.png")
        let uri = "data:image/png;base64,\(bytes.prefix(bytes.count / 2).base64EncodedString())"
        let photo = Fixtures.url(named: "Photos/coffee.jpg").path
        let result = try await tool("info", "--placeholder", "--json", uri, photo)
        #expect(result.status == 1)
        let objects = try result.objects()
        #expect(objects.count == 2 && objects.contains { $0["error"] as? String == "truncated" })
        #expect(objects.contains { ($0["blurHash"] as? String)?.count == 28 })
    }

    @Test func `info --palette prints the colours that the library finds, with their shares`() async throws {
        let path = Fixtures.url(named: "Photos/coffee.jpg").path
        let palette = try #require(Image(data: Fixtures.data(named: "Photos/coffee.jpg"))).kf.palette(
            count: 3)
        let object = try #require(try await tool("info", path, "--palette", "3", "--json").objects().first)
        let members = try #require(object["palette"] as? [[String: Any]])
        #expect(members.map { $0["color"] as? String } == palette.map(\.color.hexadecimal))
        for (member, color) in zip(members, palette) {
            #expect(abs((member["share"] as? Double ?? 0) - color.share) < 1e-4)
        }
        let lines = try await tool("info", path, "--palette", "3").lines
        #expect(lines.count == 4 && lines[1].hasPrefix("    \(palette[0].color.hexadecimal) "))
        #expect(lines[1].hasSuffix(" %"))
        let plain = try #require(try await tool("info", path, "--json").objects().first)
        #expect(plain["palette"] == nil)
        for wrong in ["0", "257", "x"] {
            #expect(try await tool("info", path, "--palette", wrong).status == 2)
        }
    }

    @Test("info --json prints the metadata that exiftool reads in the file")
    func metadata() async throws {
        let path = Fixtures.url(named: "Metadata/camera.jpg").path
        let object = try #require(try await tool("info", path, "--json").objects().first)
        #expect(object["channels"] as? Int == 3 && object["bitsPerComponent"] as? Int == 8)
        #expect(object["hdr"] as? Bool == false && object["metadataComplete"] as? Bool == true)
        #expect(object["colorProfile"] as? String == "sRGB built-in")
        let exif = try #require(object["exif"] as? [String: Any])
        #expect(exif["model"] as? String == "Alcedo 7" && exif["exposureTime"] as? Double == 0.004)
        #expect(exif["dateTaken"] as? String == "2026-03-29T02:30:15.125+02:00")
        let location = try #require(object["location"] as? [String: Any])
        #expect(abs((location["latitude"] as? Double ?? 0) + 33.856784) < 1e-6)
        #expect(location["altitude"] as? Double == -12.5)
        let iptc = try #require(object["iptc"] as? [String: Any])
        #expect(iptc["keywords"] as? [String] == ["sea", "wide sky"])
        #expect((object["xmpBytes"] as? Int ?? 0) > 100)

        let bare = Fixtures.url(named: "Photos/badge.png").path
        let plain = try #require(try await tool("info", bare, "--json").objects().first)
        #expect(plain["exif"] == nil && plain["location"] == nil && plain["iptc"] == nil)
        let hdr = Fixtures.url(named: "Metadata/hdr.png").path
        let wide = try #require(try await tool("info", hdr, "--json").objects().first)
        #expect(wide["hdr"] as? Bool == true)
        #expect((wide["codePoints"] as? [String: Any])?["transfer"] as? Int == 16)
    }

    @Test("The help of info names each member of its JSON")
    func documented() async throws {
        let help = try await tool("info", "--help").lines.joined(separator: " ")
        for name in ["Metadata/camera.jpg", "Metadata/hdr.png", "Metadata/extended.jpg"] {
            let object = try await tool("info", Fixtures.url(named: name).path, "--json").objects().first
            for (key, value) in try #require(object) where !Self.oldMembers.contains(key) {
                #expect(help.contains(key), "\(key)")
                for inner in (value as? [String: Any] ?? [:]).keys {
                    #expect(help.contains(inner), "\(inner)")
                }
            }
        }
    }

    private static let oldMembers: Set = [
        "source", "format", "width", "height", "frames", "loopCount", "durations", "orientation", "alpha",
        "bytes",
    ]

    @Test("An oversized header without data is unreadable")
    func huge() async throws {
        var header = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13])
        header.append(Data("IHDR".utf8))
        header.append(contentsOf: [0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60, 8, 6, 0, 0, 0])
        header.append(contentsOf: [0x13, 0x68, 0x34, 0x22])
        let uri = "data:image/png;base64,\(header.base64EncodedString())"
        let result = try await tool("info", uri, "--json")
        #expect(result.status == 1)
        #expect(try result.objects().first?["error"] as? String == "unreadableImage")
    }
}

import Foundation
import Glibc
import Kingfisher
import KingfisherTestSupport
import Testing

@Suite("kingfisher montage")
struct MontageTests {
    private let tool = Tool()

    private func photo(_ name: String) -> String { Fixtures.url(named: name).path }

    private func sheet(_ name: String) throws -> PixelBuffer {
        let file = try Data(contentsOf: URL(filePath: tool.folder.path(name)))
        return try #require(try Image.decode(file).pixels).converted(to: .rgba8Straight)
    }

    /// The number of pixels of a rectangle that are darker than `level`.
    private func dark(
        _ pixels: PixelBuffer, x: Int, y: Int, _ width: Int, _ height: Int, below level: Int = 140
    )
        -> Int
    {
        (y..<y + height).reduce(0) { count, y in
            count + (x..<x + width).count { (pixels.samples(x: $0, y: y)?.prefix(3).max() ?? 255) < level }
        }
    }

    @Test func `Images are in their cells in order, each with its name`() async throws {
        let names = ["Photos/coffee.jpg", "Photos/badge.png", "JPEG/orientation-6.jpg", "Photos/cat.gif"]
        let result = try await tool.run(
            ["montage", "-o", "a.png", "--cell", "100x80", "--gap", "10", "--columns", "3", "--json"]
                + names.map(photo))
        #expect(result.status == 0)
        let objects = try result.objects()
        #expect(objects.count == 5)
        let last = try #require(objects.last)
        #expect(
            last["images"] as? Int == 4 && last["failed"] as? Int == 0 && last["format"] as? String == "png")
        #expect(last["columns"] as? Int == 3 && last["rows"] as? Int == 2)
        let pixels = try sheet("a.png")
        #expect(pixels.width == 340 && pixels.height == last["height"] as? Int)
        #expect(last["width"] as? Int == 340)
        let coffee = try #require(
            objects.first { ($0["source"] as? String)?.hasSuffix("coffee.jpg") == true })
        #expect(coffee["x"] as? Int == 10 && coffee["y"] as? Int == 10 && coffee["width"] as? Int == 100)
        let cat = try #require(objects.first { ($0["source"] as? String)?.hasSuffix("cat.gif") == true })
        #expect(cat["x"] as? Int == 10 && cat["y"] as? Int == 116)
        // The pixels equal the library's: 100 x 67, in the middle of the cell.
        let small = try Image.downsample(
            Fixtures.data(named: "Photos/coffee.jpg"), to: CGSize(width: 100, height: 100), scale: 1)
        let expected = try #require(small.pixels)
        #expect(expected.height == 67)
        for (x, y) in [(0, 0), (99, 66), (50, 30), (7, 61)] {
            let one = try #require(pixels.samples(x: 10 + x, y: 17 + y))
            let other = try #require(expected.samples(x: x, y: y))
            #expect(zip(one.prefix(3), other).allSatisfy { abs($0 - $1) <= 3 }, "\(x) \(y) \(one) \(other)")
        }
        #expect(pixels.samples(x: 60, y: 12) == [255, 255, 255, 255])
        // Upright: 23 x 34 pixels, not enlarged.
        #expect(dark(pixels, x: 230, y: 10, 38, 80, below: 250) == 0)
        #expect(dark(pixels, x: 268, y: 33, 23, 34, below: 250) > 300)
        // Names are below the cells, not elsewhere.
        for (x, y) in [(10, 90), (120, 90), (230, 90), (10, 196)] {
            #expect(dark(pixels, x: x, y: y, 100, 16) > 20)
        }
        #expect(dark(pixels, x: 120, y: 116, 220, 96, below: 255) == 0)
    }

    @Test func `A failed image has a cell, is named, and does not stop the others`() async throws {
        let server = try LoopbackServer { _ in .status(404) }
        try Data("no image".utf8).write(to: URL(filePath: tool.folder.path("text.png")))
        let result = try await tool.run([
            "montage", "missing.jpg", photo("Photos/coffee.jpg"), "text.png",
            server.url("/a.jpg").absoluteString,
            "-o", "a.png", "--cell", "64x64", "--columns", "4", "--json",
        ])
        #expect(result.status == 1)
        let objects = try result.objects()
        #expect(objects.count == 5 && objects.count { $0["error"] != nil } == 3)
        #expect(objects.last?["images"] as? Int == 1 && objects.last?["failed"] as? Int == 3)
        #expect(result.errors.contains("kingfisher: missing.jpg: no such file\n"))
        let pixels = try sheet("a.png")
        for index in [0, 2, 3] {
            let x = 8 + index * 72
            let corner = try #require(pixels.samples(x: x + 1, y: 9))
            #expect(corner[0] < 250 && corner[0] == corner[1])
            // The cross.
            let middle = try #require(pixels.samples(x: x + 32, y: 8 + 32)), shade = corner[0]
            #expect(middle[0] < shade || dark(pixels, x: x + 16, y: 24, 32, 32, below: shade - 20) > 20)
        }
    }

    @Test func `The same sources give the same bytes, also from the cache and one at a time`() async throws {
        let arguments =
            ["coffee", "astronaut", "brick", "chelsea", "grass"].map { photo("Photos/\($0).jpg") }
            + ["--cell", "60x60", "--cache", tool.cache]
        for (name, more) in [("a.png", []), ("b.png", []), ("c.png", ["--jobs", "1", "--refresh"])] {
            #expect(try await tool.run(["montage", "-o", name] + arguments + more).status == 0)
        }
        let files = try ["a.png", "b.png", "c.png"].map {
            try Data(contentsOf: URL(filePath: tool.folder.path($0)))
        }
        #expect(files[0] == files[1] && files[0] == files[2])
        #expect(tool.cachedFiles() >= 5)
    }

    @Test func `Names of any bytes are drawn, escaped and shortened`() async throws {
        let photo = try Fixtures.data(named: "Photos/badge.png")
        let names = [
            "</text><image href='x'>&lt;.png", "שלום עולם.png", "a\u{1B}[31mb\u{202E}.png",
            String(repeating: "long name ", count: 20) + ".png", "漢字 日本 😀.png", "a\nb.png",
        ]
        for name in names where !name.contains("/") {
            try photo.write(to: URL(filePath: tool.folder.path(name)))
        }
        let raw = try await tool.shell(
            "cp '\(self.photo("Photos/badge.png"))' $'r\\xE9.png'; ls *.png | grep -c png")
        #expect(raw.lines == ["6"])
        let result = try await tool.shell(
            "kingfisher montage -o a.jpg --cell 80x40 --columns 6 -- *.png; echo $?")
        #expect(result.lines.last == "0", "\(result.errors)")
        let pixels = try sheet("a.jpg")
        for index in 0..<6 {
            #expect(dark(pixels, x: 8 + index * 88, y: 48, 80, 16, below: 215) > 10, "\(index)")
        }
    }

    @Test func `Without names and gaps cells touch, and crop fills them`() async throws {
        let path = photo("Photos/coffee.jpg")
        let result = try await tool.run(
            ["montage", path, path, "-o", "a.jpg", "--no-names", "--gap", "0", "--crop", "--cell", "50x90"]
                + ["--background", "#f0f", "--quality", "95"])
        #expect(result.status == 0 && result.lines.count == 1)
        #expect(result.lines[0].hasPrefix("a.jpg: 100 x 90 pixels, jpeg, "))
        #expect(result.lines[0].hasSuffix(" bytes, 2 images"))
        let pixels = try sheet("a.jpg")
        let magenta = (0..<90).flatMap { y in (0..<100).compactMap { pixels.samples(x: $0, y: y) } }
            .count { $0[0] > 230 && $0[1] < 60 && $0[2] > 230 }
        #expect(magenta == 0)
    }

    @Test func `A transparent background stays transparent, and an image on it also`() async throws {
        #expect(
            try await tool.run([
                "montage", photo("Photos/badge.png"), "-o", "-", "--background", "#0000", "--no-names",
                "--cell", "64x64",
            ]).status == 0)
        let result = try await tool(
            "montage", photo("Photos/badge.png"), "-o", "a.png", "--background", "#0000")
        #expect(result.status == 0)
        #expect(try sheet("a.png").samples(x: 0, y: 0)?[3] == 0)
    }

    @Test func `A sheet does not replace a source, and is in a chosen format`() async throws {
        try Fixtures.data(named: "Photos/badge.png").write(to: URL(filePath: tool.folder.path("a.png")))
        let refused = try await tool("montage", "a.png", "-o", "./a.png")
        #expect(refused.status == 1 && refused.errors.contains("cannot write ./a.png: it is also a SOURCE"))
        let result = try await tool("montage", "a.png", "-o", "sheet", "-f", "webp", "--lossless", "--quiet")
        #expect(result.status == 0 && result.output.isEmpty)
        let file = try Data(contentsOf: URL(filePath: tool.folder.path("sheet")))
        #expect(file.starts(with: Data("RIFF".utf8)))
        let piped = try await tool("montage", "a.png", "-o", "-")
        #expect(piped.output.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    }

    @Test func `Without a decoder no name can be drawn, and the error says so`() async throws {
        let path = photo("Photos/badge.png")
        let lost = ["KINGFISHER_DECODER": "/missing"]
        let result = try await tool.run(["montage", path, "-o", "a.png"], environment: lost)
        #expect(result.status == 1)
        #expect(result.errors.contains("kingfisher: a.png: text cannot be drawn: "))
        #expect(result.errors.contains("--no-names"))
        #expect(try tool.folder.names() == [])
        let bare = try await tool.run(["montage", path, "-o", "a.png", "--no-names"], environment: lost)
        #expect(bare.status == 0)
        let step = try await tool.run(["get", path, "-p", "text:YQ", "-o", "b.png"], environment: lost)
        #expect(step.status == 1 && step.errors.contains("text cannot be drawn: "))
    }

    @Test func `get -p text draws over the image`() async throws {
        let path = photo("Photos/coffee.jpg")
        let step = "text:S2luZ2Zpc2hlcg,top,20%h,#f0f"
        #expect(try await tool("get", path, "-p", "fit:300x300", "-p", step, "-o", "a.png").status == 0)
        #expect(try await tool("get", path, "-p", "fit:300x300", "-o", "b.png").status == 0)
        let (one, other) = (try sheet("a.png"), try sheet("b.png"))
        var changed = 0
        for y in 0..<one.height {
            for x in 0..<one.width where one.samples(x: x, y: y) != other.samples(x: x, y: y) {
                #expect(y < 60)
                changed += 1
            }
        }
        #expect(changed > 500)
        #expect(try await tool("get", path, "-p", "text:YQo", "-o", "c.png").status == 2)
    }
}

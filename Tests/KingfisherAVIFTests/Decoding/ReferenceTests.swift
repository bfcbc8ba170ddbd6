import Foundation
import KingfisherAVIF
import KingfisherCodecSupport
import TestHelpers
import Testing

@Suite("AVIF: pixels as avifdec decodes them", .enabled(if: Tools.arePresent))
struct ReferenceTests {
    static let encodings: [[String]] = [
        ["-y", "444"], ["-y", "422"], ["-y", "420"], ["-y", "400"], ["-l"],
        ["-y", "444", "-r", "limited"], ["-y", "420", "-r", "limited"], ["--nclx", "1/13/1", "-y", "444"],
        ["--nclx", "1/13/9", "-y", "444"], ["--min", "40", "--max", "40", "-y", "420"],
    ]

    @Test("8 bits equal avifdec's", arguments: ReferenceTests.encodings)
    func eightBits(_ arguments: [String]) throws {
        let file = try Tools.encode([TestImages.gradients(65, 49)], arguments)
        let pixels = try decode(file)
        #expect(pixels.format == .rgba8Opaque)
        let distance = try PixelGrid(pixels).distance(to: PixelGrid(Tools.decode(file)))
        // avifdec converts to RGB without alpha, for which libyuv rounds differently.
        #expect(try #require(distance) <= 3)
    }

    @Test("10 and 12 bits become 16 and equal avifdec's", arguments: ["10", "12"], ["444", "420"])
    func sixteenBits(_ depth: String, _ chroma: String) throws {
        let file = try Tools.encode([TestImages.gradients(depth: .sixteen)], "-d", depth, "-y", chroma)
        let pixels = try decode(file)
        #expect(pixels.format == PixelFormat(layout: .rgba, depth: .sixteen, alpha: .opaque))
        #expect(try AVIFCodec().header(of: file).bitsPerComponent == Int(depth))
        #expect(try PixelGrid(pixels).distance(to: PixelGrid(Tools.decode(file))) == 0)
    }

    @Test("Lossless pixels equal those that were encoded")
    func lossless() throws {
        let image = try TestImages.gradients(alpha: true)
        let file = try Tools.encode([image], "-l")
        let pixels = try decode(file)
        #expect(pixels.format == .rgba8Straight)
        #expect(try PixelGrid(pixels) == PixelGrid(image))
        #expect(try AVIFCodec().header(of: file).isLossless)
    }

    @Test("Premultiplied alpha is divided and shows the same colours")
    func premultiplied() throws {
        let file = try Tools.encode([TestImages.gradients(alpha: true)], "-p", "--min", "0", "--max", "0")
        let pixels = try decode(file)
        #expect(pixels.format == .rgba8Straight)
        #expect(try #require(try PixelGrid(pixels).distance(to: PixelGrid(Tools.decode(file)))) <= 1)
    }

    @Test("The cells of a grid form one image", arguments: [["--grid", "2x2"], ["--grid", "1x2"]])
    func grid(_ arguments: [String]) throws {
        let file = try Tools.encode([TestImages.gradients(256, 256)], arguments + ["-y", "444"])
        let pixels = try decode(file)
        #expect(pixels.size == PixelSize(width: 256, height: 256))
        #expect(try #require(try PixelGrid(pixels).distance(to: PixelGrid(Tools.decode(file)))) <= 1)
    }
}

@Suite("AVIF: clap, irot and imir", .enabled(if: Tools.arePresent))
struct OrientationTests {
    private func transformed(_ stored: PixelGrid, turns: Int, mirror: Int?) -> PixelGrid {
        let turned = (0..<turns).reduce(stored) { grid, _ in grid.turnedLeft }
        return mirror.map { $0 == 0 ? turned.upsideDown : turned.leftRight } ?? turned
    }

    @Test("Each rotation with each mirror moves the pixels", arguments: 0..<4, [nil, 0, 1])
    func orientation(_ turns: Int, _ mirror: Int?) throws {
        let image = try TestImages.gradients()
        let options = ["-l", "--irot", "\(turns)"] + (mirror.map { ["--imir", "\($0)"] } ?? [])
        let file = try Tools.encode([image], options)
        let pixels = try decode(file)
        #expect(try PixelGrid(pixels) == transformed(PixelGrid(image), turns: turns, mirror: mirror))
        #expect(try AVIFCodec().header(of: file).displaySize == pixels.size)
    }

    static let transformations: [(type: String, arguments: [String])] = [
        ("irot", ["--irot", "1"]), ("irot", ["--irot", "2"]), ("imir", ["--imir", "0"]),
        ("imir", ["--imir", "1"]), ("clap", ["--crop", "6,4,32,20"]),
    ]

    @Test(
        "Alpha is transformed once, whether or not it has the transformation of its image",
        arguments: transformations)
    func alpha(_ type: String, _ arguments: [String]) throws {
        let image = try TestImages.gradients(alpha: true)
        // avifenc before 1.0 gives it to the image alone.
        let file = try Tools.encode([image], ["-l"] + arguments)
        let value = Int(arguments[1]) ?? 0
        let expected =
            try type == "clap"
            ? PixelGrid(image).cropped(6, 4, 32, 20)
            : transformed(
                PixelGrid(image), turns: type == "irot" ? value : 0, mirror: type == "imir" ? value : nil)
        #expect(try PixelGrid(decode(file)) == expected)
        #expect(try PixelGrid(decode(file.givingAlpha(type))) == expected)
    }

    @Test("A crop precedes the rotation", arguments: [[0, 0, 40, 30], [6, 4, 32, 20], [7, 5, 33, 21]])
    func crop(_ area: [Int]) throws {
        let image = try TestImages.gradients()
        let file = try Tools.encode([image], "-l", "--crop", area.map(String.init).joined(separator: ","))
        let expected = try PixelGrid(image).cropped(area[0], area[1], area[2], area[3])
        #expect(try PixelGrid(decode(file)) == expected)
        let turned = try Tools.encode(
            [image], "-l", "--irot", "1", "--crop", area.map(String.init).joined(separator: ","))
        #expect(try PixelGrid(decode(turned)) == expected.turnedLeft)
    }

    @Test("A cropped image is also scaled from the cropped planes")
    func scaledCrop() throws {
        let file = try Tools.encode(
            [TestImages.smooth(256, 192)], "-y", "420", "--crop", "32,16,128,96", "--irot", "3")
        let target = PixelSize(width: 48, height: 64)
        let small = try AVIFCodec().decode(file, shrunkTo: target)
        #expect(small.size == target)
        #expect(try PixelGrid(small).decibels(to: PixelGrid(decode(file).resized(to: target))) > 40)
    }

    @Test("A crop with fractions or outside of the image is ignored")
    func invalidCrop() throws {
        let image = try TestImages.gradients()
        let file = try Tools.encode([image], "-l", "--crop", "6,4,32,20")
        for (offset, bytes) in [(4, [0, 0, 0, 0] as [UInt8]), (0, [0, 0, 1, 0]), (20, [0, 0, 0, 0])] {
            #expect(try decode(file.replacing("clap", at: offset, with: bytes)).size == image.size)
        }
    }
}

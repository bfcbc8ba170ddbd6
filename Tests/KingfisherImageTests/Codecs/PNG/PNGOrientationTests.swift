import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// PNGs with an orientation, in every place that can store it.
@Suite struct PNGOrientationTests {
    struct Turned: CustomTestStringConvertible {
        let name: String
        let orientation: Image.Orientation
        var testDescription: String { name }
    }

    static let all: [Turned] = {
        let list = (try? Fixtures.data(named: "Orientation/orientations.txt")) ?? Data()
        return String(decoding: list, as: UTF8.self).split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ")
            return Image.Orientation(exif: Int(parts[1]) ?? 0).map {
                Turned(name: String(parts[0]), orientation: $0)
            }
        }
    }()

    @Test func theFixturesExist() {
        #expect(Self.all.count == 25)
        #expect(Set(Self.all.map(\.orientation)).count == 8)
    }

    @Test(
        "Pixels are rotated upright as by Pillow, and the header contains the upright size",
        arguments: all)
    func pixels(_ file: Turned) throws {
        let data = try Fixtures.data(named: "Orientation/\(file.name).png")
        let header = try PNGCodec().header(of: data)
        #expect(header.orientation == file.orientation)
        #expect(header.size == PixelSize(width: 20, height: 12))
        let pixels = try PNGCodec().decode(data, minimumSize: nil)
        #expect(pixels.size == header.displaySize)
        let shown = try pixels.converted(to: pixels.format.isOpaque ? .rgba8Opaque : .rgba8Straight)
        #expect(Data(shown.packedBytes) == (try Fixtures.data(named: "Orientation/\(file.name).png.rgba")))
        #expect(data.kf.imageInfo?.width == header.displaySize.width)
    }

    @Test("A thumbnail is rotated", arguments: all)
    func small(_ file: Turned) throws {
        let data = try Fixtures.data(named: "Orientation/\(file.name).png")
        let whole = try PNGCodec().decode(data, minimumSize: nil)
        let target = try #require(whole.size.shrunk(toLongerSide: 5))
        let small = try PNGCodec().decode(data, shrunkTo: target)
        #expect(small.size == target)
        let expected = try whole.resized(to: target)
        for (ours, theirs) in zip(Samples.all(small), Samples.all(expected)) {
            #expect(zip(ours, theirs).allSatisfy { abs($0 - $1) <= 6 }, "\(ours) \(theirs)")
        }
        let minimum = try PNGCodec().decode(data, minimumSize: PixelSize(width: 2, height: 9))
        #expect(minimum.width < whole.width && minimum.height >= 9)
    }

    @Test("The rows of a truncated file are rotated if the metadata arrived")
    func part() throws {
        let data = try Fixtures.data(named: "Orientation/exif-6.png")
        let part = try PNGCodec().decode(data.dropLast(20), minimumSize: nil, acceptsPartialImages: true)
        #expect(part.size == PixelSize(width: 12, height: 20))
    }

    @Test("Frames of an animated PNG are rotated")
    func animation() throws {
        let plain = try Fixtures.data(named: "APNG/mixed.apng")
        let exif = try Fixtures.data(named: "Orientation/exif-6.png")
        let chunk = try #require(ChunkList(exif).chunks.first { $0.type == "eXIf" })
        var list = ChunkList(plain)
        list.chunks.insert(chunk, at: 1)
        let (before, after) = (try APNGCodec.source(plain), try APNGCodec.source(list.file))
        #expect(try APNGCodec().header(of: list.file).orientation == .right)
        for number in 0..<before.frameCount {
            let expected = try before.composedFrame(at: number).upright(from: .right)
            #expect(try after.composedFrame(at: number).packedBytes == expected.packedBytes)
        }
    }

    @Test("Text is expanded only up to the metadata limit")
    func bombs() throws {
        let bomb = [0x78, 0x9C] + Array(Gzip.zeros(1 << 20).dropFirst(10).dropLast(8)) + [0, 0, 0, 1]
        let name = Array("Raw profile type exif".utf8) + [0, 0]
        var list = ChunkList(try Fixtures.data(named: "Orientation/raw-exif-zTXt.png"))
        func orientation(_ limit: Int?) throws -> Image.Orientation {
            var limits = ImageLimits()
            if let limit { limits.maximumMetadataBytes = limit }
            return try DecodingContext(limits: limits).run {
                try PNGCodec().header(of: list.file).orientation
            }
        }
        #expect(try orientation(nil) == .right)
        #expect(try orientation(50) == .up)
        let nothing = ChunkList.Chunk(type: "tEXt", data: Array("Raw profile type exif\0x".utf8))
        list.chunks.insert(contentsOf: repeatElement(nothing, count: 15), at: 1)
        #expect(try orientation(nil) == .right)
        list.chunks.insert(nothing, at: 1)
        #expect(try orientation(nil) == .up, "more texts than are searched")
        list.chunks.removeSubrange(1..<17)
        list.chunks.insert(.init(type: "zTXt", data: name + bomb), at: 1)
        // A corrupt text counts fully against the limit, so that a thousand of them take no longer.
        #expect(try orientation(nil) == .up)
    }

    @Test("XMP and raw profiles without an orientation leave the image unchanged")
    func nothing() {
        for text in [
            "", "tiff:Orientation", "tiff:Orientation=", "tiff:Orientation=\"0\"", "tiff:Orientation=\"9\"",
            "tiff:Orientation='66'", "</tiff:Orientation>", "ttiff:Orientatio",
        ] {
            let found = Data(text.utf8).withUnsafeBytes { XMP.orientation(in: ByteReader($0)) }
            #expect(found == nil, "\(text)")
        }
        let twice = Data("tiff:Orientation=\"\" tiff:Orientation = '6' ".utf8)
        #expect(twice.withUnsafeBytes { XMP.orientation(in: ByteReader($0)) } == .right)
    }
}

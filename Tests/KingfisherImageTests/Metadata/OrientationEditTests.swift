import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// `ImageCodec.settingOrientation`, and orientations that are turned and flipped.
@Suite struct OrientationEditTests {
    private static let pngs =
        ["Metadata/camera.png", "Metadata/palette.png", "Photos/badge.png", "APNG/mixed.apng"]
        + Fixtures.names(in: "Orientation", withExtension: "png")

    @Test(arguments: Image.Orientation.allCases)
    func `A turned or flipped orientation shows the image turned or flipped`(
        _ orientation: Image.Orientation
    ) throws {
        let stored = try #require(Image(data: try Fixtures.data(named: "Photos/badge.png"))?.pixels)
        func shown(_ orientation: Image.Orientation) throws -> Image {
            Image(pixels: try stored.upright(from: orientation))
        }
        for turns in -1...4 {
            let turned = try shown(orientation).kf.rotated(byQuarterTurns: turns)
            let ours = try shown(orientation.rotated(byQuarterTurns: turns))
            #expect(ours.pixels?.packedBytes == turned.pixels?.packedBytes, "\(turns)")
        }
        for axis in FlipAxis.allCases {
            let flipped = try shown(orientation).kf.flipped(axis)
            #expect(try shown(orientation.flipped(axis)).pixels?.packedBytes == flipped.pixels?.packedBytes)
        }
    }

    @Test(arguments: pngs)
    func `Every orientation can be written into a PNG, and only chunks of EXIF and XMP change`(
        _ name: String
    ) throws {
        let file = try Fixtures.data(named: name)
        let codec: any ImageCodec = name.hasSuffix(".apng") ? APNGCodec() : PNGCodec()
        let before = try ImageMetadata(of: file, using: codec)
        let upright = try codec.settingOrientation(.up, of: file)
        for orientation in Image.Orientation.allCases {
            let edited = try codec.settingOrientation(orientation, of: file)
            let after = try ImageMetadata(of: edited, using: codec)
            #expect(after.orientation == orientation && after.location == before.location)
            #expect(before.exif == nil || after.exif == before.exif)
            #expect(after.iptc == before.iptc && after.frameCount == before.frameCount)
            func others(_ file: Data) -> [Data] {
                ChunkList(file).chunks.filter { chunk in
                    chunk.type != "eXIf" && !chunk.data.starts(with: Data("XML:com.adobe.xmp".utf8))
                        && !["exif", "APP1"].contains {
                            chunk.data.starts(with: Data("Raw profile type \($0)".utf8))
                        }
                }.map { Data($0.type.utf8) + Data($0.data) }
            }
            #expect(others(edited) == others(file))
            #expect(try codec.settingOrientation(.up, of: edited) == upright)
            if let packet = after.xmp, packet.contains(text: "tiff:Orientation"), !name.contains("xmp-12") {
                #expect(packet.withUnsafeBytes { XMP.orientation(in: ByteReader($0)) } == orientation)
            }
        }
    }

    @Test func `A format without a place for the orientation, and broken files, are errors`() throws {
        let gif = try Fixtures.data(named: "Metadata/xmp.gif")
        for orientation: Image.Orientation in [.up, .left] {
            #expect(throws: ImageCodecError.unsupported("writing the orientation of GIF")) {
                try GIFCodec().settingOrientation(orientation, of: gif)
            }
        }
        let png = try Fixtures.data(named: "Metadata/camera.png")
        for count in stride(from: 0, to: png.count, by: 97) {
            #expect(throws: ImageCodecError.self) {
                try PNGCodec().settingOrientation(.left, of: png.prefix(count))
            }
        }
        var list = ChunkList(try Fixtures.data(named: "Photos/badge.png"))
        list.chunks.insert(.init(type: "eXIf", data: Array("MM\0*\0\0\0\u{2}".utf8)), at: 1)
        #expect(throws: ImageCodecError.unsupported("a malformed EXIF block")) {
            try PNGCodec().settingOrientation(.left, of: list.file)
        }
    }

    @Test func `The tag of the thumbnail's directory agrees with that of the image`() throws {
        func entry(_ value: UInt8) -> [UInt8] { [0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, value, 0, 0] }
        var editor = try #require(
            TIFFEditor(Array("MM\0*\0\0\0\u{8}".utf8) + entry(6) + [0, 0, 0, 26] + entry(6) + [0, 0, 0, 0]))
        let isSet = editor.setOrientation(.down)
        #expect(
            isSet
                && editor.bytes == Array("MM\0*\0\0\0\u{8}".utf8) + entry(3) + [0, 0, 0, 26] + entry(3) + [
                    0, 0, 0, 0,
                ])
        // A directory within the first one is not one of a thumbnail.
        var overlapping = try #require(
            TIFFEditor(Array("MM\0*\0\0\0\u{8}".utf8) + entry(6) + [0, 0, 0, 8]))
        let isAlsoSet = overlapping.setOrientation(.down)
        #expect(isAlsoSet && overlapping.bytes[19] == 3)
    }
}

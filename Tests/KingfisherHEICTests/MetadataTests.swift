import Foundation
import KingfisherCodecSupport
import KingfisherHEIC
import KingfisherTestSupport
import TestHelpers
import Testing

@Suite("HEIC: colours and metadata", .enabled(if: Tools.arePresent))
struct MetadataTests {
    @Test("An ICC profile becomes sRGB")
    func profile() throws {
        let source = try Data(contentsOf: Fixtures.url(named: "Color/rec2020.jpg"))
        let file = try Tools.encode(source, "jpg", ["-q", "95", "-p", "chroma=444"])
        #expect(try HEICCodec().metadataBlocks(of: file).profile != nil)
        let jpeg = try #require(CodecRegistry.builtIn.codec(for: .JPEG))
        let expected = try PixelGrid(jpeg.decode(source, minimumSize: nil))
        #expect(try PixelGrid(decode(file)).decibels(to: expected) > 35)
        let target = PixelSize(width: 16, height: 16)
        let small = try HEICCodec().decode(file, shrunkTo: target)
        #expect(try PixelGrid(small).decibels(to: PixelGrid(jpeg.decode(source, shrunkTo: target))) > 35)
    }

    @Test("Display P3 by code points of the container becomes sRGB")
    func codePoints() throws {
        let cell = try Tools.encode(TestImages.smooth(64, 64), "-q", "95", "-p", "chroma=444")
        func file(_ primaries: UInt8) throws -> Data {
            try GridFile(
                cells: [cell], columns: 1, cell: (64, 64), size: (64, 64),
                properties: [HEIFFile.codePoints(primaries)]
            ).data()
        }
        #expect(try HEICCodec().metadataBlocks(of: file(12)).codePoints?.primaries == 12)
        let encoding = try #require(ColorEncoding(primaries: 12, transfer: 13))
        let transform = try #require(encoding.transform(of: .rgb(.eight)))
        let expected = try PixelGrid(transform.converted(decode(file(1))))
        #expect(try #require(try PixelGrid(decode(file(12))).distance(to: expected)) <= 2)
        #expect(try #require(try PixelGrid(decode(file(1))).distance(to: expected)) > 8)
    }

    @Test("EXIF is read, and its orientation ignored")
    func exif() throws {
        let source = try Data(contentsOf: Fixtures.url(named: "JPEG/orientation-6.jpg"))
        let file = try Tools.encode(source, "jpg", [])
        let blocks = try HEICCodec().metadataBlocks(of: file)
        #expect(blocks.exif?.prefix(2) == Data("MM".utf8) || blocks.exif?.prefix(2) == Data("II".utf8))
        // The stored size: heif-enc 1.15 copies the EXIF block and writes no `irot`; 1.23 turns the image.
        let isTurned = file.range(of: Data("irot".utf8)) != nil
        #expect(try decode(file).size == PixelSize(width: isTurned ? 23 : 34, height: isTurned ? 34 : 23))
    }
}

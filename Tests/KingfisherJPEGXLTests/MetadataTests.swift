import Foundation
import KingfisherCodecSupport
import KingfisherJPEGXL
import KingfisherTestSupport
import TestHelpers
import Testing

@Suite("JPEG XL: metadata", .enabled(if: Tools.arePresent))
struct MetadataTests {
    private let codec = JPEGXLCodec()

    @Test("EXIF and XMP of a packed JPEG are those of the JPEG", arguments: ["camera.jpg", "little.jpg"])
    func blocks(_ name: String) throws {
        let jpeg = try Fixtures.data(named: "Metadata/\(name)")
        let file = try Tools.encode(jpeg, "jpg")
        let expected = try ImageMetadata(
            of: jpeg, using: #require(CodecRegistry.builtIn.codec(for: .JPEG)))
        let metadata = try ImageMetadata(of: file, using: codec)
        #expect(metadata.exif == expected.exif && metadata.exif != nil)
        #expect(metadata.location == expected.location)
        #expect(metadata.xmp == expected.xmp)
        #expect(metadata.pixelSize == expected.pixelSize && metadata.channels == 3)
        #expect(metadata.isComplete)
    }

    @Test("Blocks above the limit are omitted")
    func limits() throws {
        let file = try Tools.encode(Fixtures.data(named: "Metadata/camera.jpg"), "jpg")
        let context = DecodingContext(limits: ImageLimits(maximumMetadataBytes: 200))
        let blocks = try context.run { try codec.metadataBlocks(of: file) }
        #expect(blocks.byteCount <= 200 && !blocks.isComplete)
    }

    @Test("A file without metadata has channels only, and a truncated one what arrived")
    func none() throws {
        let blocks = try codec.metadataBlocks(of: Tools.encode(Samples.gray(alpha: true)))
        #expect(blocks.exif == nil && blocks.xmp == nil && blocks.channels == 2)
        let file = try Tools.encode(Fixtures.data(named: "Metadata/camera.jpg"), "jpg")
        for length in stride(from: 40, to: file.count, by: 41) {
            _ = try? codec.metadataBlocks(of: file.prefix(length))
        }
        let whole = try codec.metadataBlocks(of: file)
        #expect(try codec.metadataBlocks(of: file.dropLast(10)).exif == whole.exif)
    }
}

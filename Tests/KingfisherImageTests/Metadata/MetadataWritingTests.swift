import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// Metadata of an original in a file that is written again.
@Suite struct MetadataWritingTests {
    private static let camera = "Metadata/camera.jpg"

    @Test(
        "An encoded file has the metadata of its original, upright and with its size",
        arguments: [
            ImageFormat.JPEG, .PNG, .APNG,
        ])
    func kept(format: ImageFormat) throws {
        let original = try Fixtures.data(named: Self.camera)
        let image = try Image.decode(original)
        let options = ImageEncodingOptions(quality: 0.9, metadata: try ImageMetadataBlocks(of: original))
        let file = try image.encoded(as: format, options: options)
        let plain = try image.encoded(as: format, options: ImageEncodingOptions(quality: 0.9))
        let (before, after) = (try ImageMetadata(of: original), try ImageMetadata(of: file))
        #expect(after.exif == before.exif && after.location == before.location)
        #expect(after.xmp?.count == before.xmp?.count)
        #expect((after.iptc == before.iptc) == (format == .JPEG), "PNG has no place for IPTC")
        // The file's pixels are turned already.
        #expect(after.orientation == .up && after.pixelSize == PixelSize(width: 16, height: 24))
        #expect(try Image.decode(file).pixels?.packedBytes == Image.decode(plain).pixels?.packedBytes)
        #expect(try ImageMetadata(of: plain).exif == nil, "by default nothing is written")
        let thumbnail = try file.reading { reader throws(ImageCodecError) -> Data? in
            format == .JPEG ? try JPEGFrameHeader(scanning: reader).thumbnail.map { Data($0.bytes) } : nil
        }
        #expect(thumbnail == nil)
    }

    /// The pixels are sRGB; the profile of the original is omitted.
    @Test("EXIF of an encoded file says sRGB")
    func colorSpace() throws {
        let original = try Fixtures.data(named: Self.camera)
        let encoded = try Image.decode(original).encoded(as: .JPEG)
        let kept = try #require(MetadataPolicy.keep.applied(to: encoded, original: original))
        func colorSpace(_ file: Data) throws -> Int? {
            let exif = try #require(try ImageMetadataBlocks(of: file).exif)
            return exif.withUnsafeBytes { bytes in
                TIFFFile(ByteReader(bytes)).flatMap { file in
                    file.directory(at: file.first).flatMap { file.directory(at: $0.integer(0x8769)) }
                }?.integer(0xA001)
            }
        }
        #expect(try colorSpace(original) == 65_535)
        #expect(try colorSpace(kept) == 1)
    }

    @Test("XMP that is not UTF-8, and so cannot be turned upright, is omitted")
    func wideXMP() throws {
        var blocks = ImageMetadataBlocks()
        blocks.xmp = Data("<a tiff:Orientation='6'/>".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] })
        let image = try Image.decode(try Fixtures.data(named: "Photos/badge.png"))
        let file = try image.encoded(as: .PNG, options: ImageEncodingOptions(metadata: blocks))
        #expect(try ImageMetadata(of: file).xmp == nil)
    }

    @Test("A stripped PNG has no private chunks and no content credentials; its colours stay")
    func privateChunks() throws {
        var list = ChunkList(try Fixtures.data(named: "Metadata/palette.png"))
        let kept = ["gAMA", "sBIT", "pHYs", "cICP", "bKGD"]
        let removed = ["caBX", "prVW", "meTa", "dSIG"]
        for type in kept + removed { list.chunks.insert(.init(type: type, data: [9, 16, 0, 1]), at: 1) }
        let stripped = try #require(MetadataPolicy.strip.applied(to: list.file, original: list.file))
        let types = ChunkList(stripped).chunks.map(\.type)
        #expect(kept.allSatisfy(types.contains) && !removed.contains(where: types.contains))
        #expect(try Image.decode(stripped).pixels?.packedBytes == Image.decode(list.file).pixels?.packedBytes)
    }

    @Test("A codec that writes no metadata throws")
    func unsupported() throws {
        let image = try Image.decode(try Fixtures.data(named: "Photos/badge.png"))
        var blocks = ImageMetadataBlocks()
        blocks.iptc = Data([0x1C, 2, 5, 0, 1, 0x41])
        #expect(throws: ImageCodecError.unsupported("writing metadata of Plain")) {
            try image.encoded(using: PlainCodec(), options: ImageEncodingOptions(metadata: blocks))
        }
    }

    @Test("The capabilities say which codecs read and write metadata")
    func capabilities() {
        let codecs: [any ImageCodec] = [JPEGCodec(), PNGCodec(), APNGCodec(), GIFCodec()]
        for codec in codecs {
            #expect(codec.capabilities.isSuperset(of: [.readsMetadata, .writesMetadata]))
        }
        #expect(PlainCodec().capabilities.isDisjoint(with: [.readsMetadata, .writesMetadata]))
    }

    @Test("A policy keeps, filters or removes metadata of encoded and of unchanged files")
    func policies() throws {
        let original = try Fixtures.data(named: Self.camera)
        let encoded = try Image.decode(original).encoded(as: .JPEG)
        func result(_ policy: MetadataPolicy, _ file: Data) throws -> ImageMetadata {
            try ImageMetadata(of: try #require(policy.applied(to: file, original: original)))
        }
        #expect(MetadataPolicy.automatic.applied(to: encoded, original: original) == encoded)
        #expect(MetadataPolicy.automatic.applied(to: original, original: original) == original)
        #expect(MetadataPolicy.keep.applied(to: original, original: original) == original)
        #expect(try result(.keep, encoded).location != nil)
        let filtered = try result(.keepWithoutLocation, encoded)
        #expect(filtered.location == nil && filtered.exif?.make == "Kingfisher")
        #expect(filtered.xmp?.contains(text: "GPSLatitude") == false)
        let unchanged = try result(.keepWithoutLocation, original)
        #expect(unchanged.location == nil && unchanged.orientation == .right && unchanged.exif?.make != nil)
        let stripped = try result(.strip, original)
        #expect(stripped.exif?.make == nil && stripped.orientation == .right)
        #expect(MetadataPolicy.strip.applied(to: encoded, original: original) == encoded)
        #expect(
            MetadataPolicy.strip.applied(to: Data("no image".utf8), original: Data("no image".utf8)) == nil)
    }

    @Test(
        "Metadata of unchanged PNG and GIF files can be removed; their pixels stay",
        arguments: [
            "Metadata/camera.png", "Metadata/palette.png", "Metadata/xmp.gif", "Photos/cat.gif",
            "APNG/mixed.apng",
            "Orientation/exif-6.png",
        ])
    func others(name: String) throws {
        let original = try Fixtures.data(named: name)
        let stripped = try #require(MetadataPolicy.strip.applied(to: original, original: original))
        let (before, after) = (try ImageMetadata(of: original), try ImageMetadata(of: stripped))
        #expect(after.exif?.make == nil && after.xmp == nil && after.location == nil)
        #expect(after.orientation == before.orientation && after.frameCount == before.frameCount)
        #expect(!stripped.contains(text: "Ada") && !stripped.contains(text: "comment"))
        let (old, new) = (try Image.decode(original), try Image.decode(stripped))
        #expect(old.pixels?.packedBytes == new.pixels?.packedBytes)
        #expect(
            try ImageCodecs.open(stripped).header.timing == ImageCodecs.open(original).header.timing)
    }

    private struct PlainCodec: ImageCodec {
        let format = ImageFormat(name: "Plain")
        func matches(_ bytes: UnsafeRawBufferPointer) -> Bool { false }
        func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
            TestDecoder(1, 1) { _ throws(ImageCodecError) in throw .emptyImage }
        }
        func encode(_ pixels: PixelBuffer, options: ImageEncodingOptions) throws(ImageCodecError) -> Data {
            Data([1])
        }
    }
}

import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// `MetadataPolicy.keepWithoutLocation` for files that are stored unchanged.
@Suite struct LocationSearchTests {
    /// A format whose metadata the library reads and cannot write.
    private struct ReadOnlyCodec: ImageCodec {
        struct Decoder: ImageDecoder {
            let header = ImageHeader(size: PixelSize(width: 1, height: 1))
            var blocks: ImageMetadataBlocks
            func metadata() throws(ImageCodecError) -> ImageMetadataBlocks { blocks }
            func decode(_ target: DecodingTarget) throws(ImageCodecError) -> PixelBuffer { throw .emptyImage }
        }

        let format = ImageFormat(name: "READONLY")
        var capabilities: CodecCapabilities = [.readsMetadata]
        var blocks = ImageMetadataBlocks()
        func matches(_ bytes: UnsafeRawBufferPointer) -> Bool { true }
        func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder { Decoder(blocks: blocks) }
    }

    private func kept(_ file: Data, _ codec: any ImageCodec = PNGCodec()) throws -> Data {
        try MetadataPolicy.keepWithoutLocation.applied(toUnchanged: file, by: codec)
    }

    private func camera() throws -> ImageMetadataBlocks {
        try ImageMetadataBlocks(of: try Fixtures.data(named: "Metadata/camera.jpg"))
    }

    @Test func `A file without a location is not changed, texts and comments included`() throws {
        for name in ["Metadata/palette.png", "Photos/badge.png", "Orientation/exif-6.png"] {
            let file = try Fixtures.data(named: name)
            #expect(try kept(file) == file, "\(name)")
        }
        let gif = try Fixtures.data(named: "Photos/cat.gif")
        #expect(try kept(gif, GIFCodec()) == gif)
        var list = ChunkList(try Fixtures.data(named: "Photos/badge.png"))
        list.chunks.insert(.init(type: "tEXt", data: Array("Comment\0a house".utf8)), at: 1)
        #expect(try kept(list.file) == list.file)
    }

    @Test(arguments: [
        "tEXt Latitude\u{0}51.5", "zTXt Comment\u{0}\u{0}x", "tEXt Raw profile type iptc\u{0}00",
    ])
    func `A PNG with a text that mentions a position, or that is not searched, is written again`(
        _ chunk: String
    ) throws {
        var list = ChunkList(try Fixtures.data(named: "Photos/badge.png"))
        let plain = list.file
        list.chunks.insert(.init(type: String(chunk.prefix(4)), data: Array(chunk.utf8.dropFirst(5))), at: 1)
        #expect(try kept(list.file) == plain)
    }

    @Test func `A format that cannot be written is refused with a location, and copied without one`() throws {
        let file = Data("READONLY of any bytes".utf8)
        #expect(try kept(file, ReadOnlyCodec()) == file)
        let whole = try camera()
        #expect(try kept(file, ReadOnlyCodec(blocks: whole.withoutLocation())) == file)
        let refused = ImageCodecError.unsupported("removing the location of READONLY")
        var incomplete = ImageMetadataBlocks()
        incomplete.isComplete = false
        var (exif, xmp, wide) = (ImageMetadataBlocks(), ImageMetadataBlocks(), ImageMetadataBlocks())
        (exif.exif, xmp.extendedXMP) = (whole.exif, whole.xmp)
        wide.xmp = Data("<x:xmpmeta>".utf16.flatMap { [0, UInt8($0 & 255)] })
        for blocks in [exif, xmp, wide, incomplete] {
            #expect(throws: refused) { try kept(file, ReadOnlyCodec(blocks: blocks)) }
        }
        // In bytes that are not one of the blocks.
        let tiff = try #require(whole.exif)
        let photo = Data([0, 0, 0, 24] + "ftypheic".utf8) + Data(count: 60)
        let video = Data([0, 0, 0, 20] + "ftypmp42".utf8)
        for hidden in [
            file + tiff, file + (whole.xmp ?? Data()), photo + video, file + Data("GPSLatitude".utf8),
        ] {
            #expect(throws: refused) { try kept(hidden, ReadOnlyCodec()) }
        }
        #expect(try kept(photo, ReadOnlyCodec()) == photo)
        // A drawing of a map.
        let drawing = file + Data("<text>Latitude</text>".utf8)
        #expect(try kept(drawing, ReadOnlyCodec(capabilities: [])) == drawing)
    }

    @Test func `A PNG with a location loses it, and malformed files are errors`() throws {
        let file = try Fixtures.data(named: "Metadata/camera.png")
        let edited = try kept(file)
        #expect(edited != file)
        #expect(try ImageMetadata(of: edited).location == nil && ImageMetadata(of: edited).exif?.make != nil)
        #expect(!edited.contains(text: "GPSLatitude"))
        #expect(try kept(edited) == edited)
        for count in stride(from: 0, to: file.count, by: 131) {
            #expect(throws: ImageCodecError.self) { try kept(file.prefix(count)) }
        }
        for policy: MetadataPolicy in [.strip, .keepCopyright] {
            #expect(throws: ImageCodecError.unsupported("writing metadata of READONLY")) {
                try policy.applied(toUnchanged: file, by: ReadOnlyCodec())
            }
        }
    }
}

import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// Decision 012: which chunks may have a wrong checksum.
@Suite("PNG: chunks with a wrong checksum") struct PNGChecksumTests {
    static let expendable = ["tEXt", "zTXt", "iTXt", "eXIf", "pHYs", "tIME", "quUX", "bKGD", "hIST", "sPLT"]
    static let decisive = ["tRNS", "gAMA", "cHRM", "iCCP", "sRGB", "cICP", "sBIT"]
    /// Files of the fast path, of libspng alone, and of 16 bits.
    static let files = ["rgb8", "palette8-trns", "rgb16", "gray4"]

    private func file(_ name: String, with type: String, _ data: [UInt8], after isLate: Bool = false) throws
        -> Data
    {
        var list = ChunkList(try Fixtures.data(named: "PNG/\(name).png"))
        list.chunks.removeAll { $0.type == type }
        list.chunks.insert(.init(type: type, data: data), at: isLate ? list.chunks.count - 1 : 1)
        return list.file
    }

    /// The file with another checksum of the chunk.
    private func damaged(_ file: Data, _ type: String) throws -> Data {
        let end = try #require(ChunkList.end(of: type, in: file))
        return file.replacing([file[end - 1] ^ 1], at: end - 1)
    }

    private static let exif = [UInt8](
        Data("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0])

    @Test("An expendable chunk counts as absent", arguments: expendable, files)
    func absent(_ type: String, _ name: String) throws {
        let plain = try PNGCodec().decode(Fixtures.data(named: "PNG/\(name).png"), minimumSize: nil)
        for isLate in [false, true] {
            let body = type == "zTXt" ? [UInt8]("a\0\0no stream".utf8) : [UInt8](repeating: 1, count: 9)
            let file = try damaged(file(name, with: type, body, after: isLate), type)
            let pixels = try PNGCodec().decode(file, minimumSize: nil)
            #expect(pixels.packedBytes == plain.packedBytes)
            let byLibspng = PNGResult.libspng(file)
            #expect(byLibspng.isImage, "libspng: \(byLibspng)")
            let small = PixelSize(width: 4, height: 4)
            #expect(try PNGCodec().decode(file, minimumSize: small).size.width >= 4)
            // A file that ends within its pixels.
            let part = try PNGCodec().decode(
                file.prefix(file.count * 3 / 4), minimumSize: nil, acceptsPartialImages: true)
            #expect(part.size == plain.size)
        }
    }

    @Test("A chunk that determines the pixels is an error", arguments: decisive, files)
    func refused(_ type: String, _ name: String) throws {
        guard type != "tRNS" || name == "palette8-trns" else { return }
        let file = try damaged(
            type == "tRNS"
                ? Fixtures.data(named: "PNG/\(name).png") : file(name, with: type, [0, 1, 1, 1]), type)
        #expect(throws: ImageCodecError.corrupt("a chunk with a wrong checksum")) {
            try PNGCodec().decode(file, minimumSize: nil)
        }
        #expect(PNGResult.libspng(file).isRefusal)
    }

    @Test("The orientation of a chunk with a wrong checksum is not applied, shown or kept")
    func orientation() throws {
        let text = [UInt8]("XML:com.adobe.xmp\0\0\0\0\0<x tiff:Orientation=\"6\"/>".utf8)
        for (type, body) in [("eXIf", Self.exif), ("iTXt", text)] {
            let file = try file("rgb8", with: type, body)
            let bad = try damaged(file, type)
            #expect(try PNGCodec().header(of: file).orientation == .right)
            #expect(try PNGCodec().header(of: bad).orientation == .up)
            let blocks = try PNGCodec().metadataBlocks(of: bad)
            #expect(blocks.exif == nil && blocks.xmp == nil)
            #expect(try PNGCodec().metadataBlocks(of: file).byteCount > 0)
            let stripped = try PNGCodec().replacingMetadata(of: bad, with: ImageMetadataBlocks())
            #expect(ChunkList(stripped).places("eXIf").isEmpty)
        }
        let density = try damaged(file("rgb8", with: "pHYs", [0, 0, 11, 19, 0, 0, 11, 19, 1]), "pHYs")
        #expect(try PNGCodec().metadataBlocks(of: density).density == nil)
        let edited = try PNGCodec().replacingMetadata(of: density, with: ImageMetadataBlocks())
        #expect(ChunkList(edited).places("pHYs").isEmpty)
    }

    @Test("In an animation, too, expendable chunks count as absent and others are errors")
    func animation() throws {
        func animation(with type: String) throws -> Data {
            var list = ChunkList(try Fixtures.data(named: "APNG/palette-trns.apng"))
            list.chunks.removeAll { $0.type == type }
            list.chunks.insert(.init(type: type, data: [0, 1, 1, 1]), at: 1)
            return try damaged(list.file, type)
        }
        for type in Self.expendable { #expect(try APNGCodec.source(animation(with: type)).frameCount > 1) }
        for type in Self.decisive where type != "tRNS" {
            #expect(throws: ImageCodecError.corrupt("a chunk with a wrong checksum")) {
                try APNGCodec().header(of: animation(with: type))
            }
        }
    }
}

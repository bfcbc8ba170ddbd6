import Foundation
import KingfisherCodecSupport
import KingfisherHEIC
import TestHelpers
import Testing

@Suite("HEIC: invalid files", .enabled(if: Tools.arePresent))
struct InvalidFileTests {
    @Test("A file that ends early is truncated, at every length")
    func truncated() throws {
        let file = try Tools.encode(TestImages.gradients())
        for length in 0..<file.count {
            let error = failure(of: file.prefix(length))
            #expect(length < 28 ? error != nil : error == .truncated, "\(length) bytes: \(error as Any)")
        }
    }

    @Test("4,000 corrupt files fail or give an image of the declared size")
    func mutations() throws {
        let plain = try Tools.encode(TestImages.gradients(64, 64, alpha: true), "-t", "32")
        let cell = try Tools.encode(TestImages.gradients(64, 64))
        let grid = try GridFile(cells: [cell, cell], columns: 2, cell: (64, 64), size: (128, 64)).data()
        HEICCodec().checkCorrupt([plain, grid], count: 4_000, seed: 25) { file, _ in
            _ = try? HEICCodec().decode(file, shrunkTo: PixelSize(width: 16, height: 8))
            _ = try? HEICCodec().metadataBlocks(of: file)
        }
    }

    @Test("Declared sizes above the limit are refused before decoding")
    func sizes() throws {
        let file = try Tools.encode(TestImages.gradients(160, 120))
        try HEICCodec().checkDeclaredSizes(of: file, PixelSize(width: 160, height: 120))
    }

    @Test("A bitstream of another size than declared is not decoded", arguments: [80, 240])
    func lyingSize(_ side: UInt8) throws {
        let file = try Tools.encode(TestImages.gradients(160, 120))
        let lying = try file.replacing("ispe", at: 4, with: [0, 0, 0, side, 0, 0, 0, side])
        #expect(failure(of: lying) != nil)
        #expect(throws: ImageCodecError.self) {
            try HEICCodec().decode(lying, shrunkTo: PixelSize(width: 4, height: 4))
        }
    }

    @Test("An image that is derived from itself is refused")
    func circle() throws {
        let cell = try Tools.encode(TestImages.gradients(64, 64))
        let grid = try GridFile(cells: [cell, cell], columns: 2, cell: (64, 64), size: (128, 64)).data()
        // The first cell becomes the grid, whose item is the third.
        let lying = try grid.replacing("dimg", at: 4, with: [0, 3])
        #expect(failure(of: grid) == nil)
        #expect(failure(of: lying) == .corrupt("images derived from themselves"))
    }

    @Test("References with another length than theirs, which libheif ignores, are refused")
    func hiddenCircle() throws {
        let cell = try Tools.encode(TestImages.gradients(64, 64))
        let grid = try GridFile(cells: [cell, cell], columns: 2, cell: (64, 64), size: (128, 64)).data()
        let circle = try grid.replacing("dimg", at: 4, with: [0, 3])
        for length in [255, 12] {
            let hidden = try circle.replacing("dimg", at: -5, with: [UInt8(length)])
            #expect(failure(of: hidden) == .corrupt("malformed references"))
        }
        let outer = try circle.replacing("iref", at: -8, with: [1])
        #expect(failure(of: outer) == .corrupt("a box exceeds the items"))
        let meta = HEIFFile.full("meta", try HEIFFile.content("meta", of: circle).dropFirst(4))
        let twice = grid + meta
        #expect(failure(of: twice) == .corrupt("several lists of items"))
    }

    @Test("Movies without a track, AV1 in HEIF, and files without items are refused")
    func foreign() throws {
        let brands = HEIFFile.box("ftyp", Data("msf1\0\0\0\0hevc".utf8))
        let movie = HEIFFile.box("moov", Data(count: 8)) + HEIFFile.box("mdat", Data(count: 8))
        #expect(failure(of: brands + movie) == .corrupt("no items"))
        #expect(failure(of: brands + HEIFFile.box("mdat", Data(count: 8))) == .corrupt("no items"))
        #expect(failure(of: Data()) != nil)
        let file = try Tools.encode(TestImages.gradients(160, 120))
        let av1 = try file.replacing("infe", at: 8, with: Array("av01".utf8))
        #expect(failure(of: av1) == .unsupported("AV1 in HEIF"))
    }
}

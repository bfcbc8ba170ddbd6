import Foundation
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@Suite struct PNGCodecTests {
    private let codec = PNGCodec()

    @Test(arguments: [
        ("gray1", PixelFormat.gray8), ("gray4", .gray8), ("gray8", .gray8),
        ("gray16", PixelFormat(layout: .gray, depth: .sixteen, alpha: .opaque)),
        ("gray8-trns", PixelFormat(layout: .grayAlpha, alpha: .straight)),
        ("grayalpha8", PixelFormat(layout: .grayAlpha, alpha: .straight)),
        ("grayalpha16-adam7", PixelFormat(layout: .grayAlpha, depth: .sixteen, alpha: .straight)),
        ("rgb8", .rgba8Opaque), ("rgb8-trns", .rgba8Straight), ("rgba8", .rgba8Straight),
        ("palette2", .rgba8Opaque), ("palette8-trns", .rgba8Straight),
        ("rgb16", PixelFormat(layout: .rgba, depth: .sixteen, alpha: .opaque)),
        ("rgba16", PixelFormat(layout: .rgba, depth: .sixteen, alpha: .straight)),
    ])
    func decodingPreservesLayoutDepthAndAlpha(name: String, format: PixelFormat) throws {
        let data = try Fixtures.data(named: "PNG/\(name).png")
        #expect(try codec.decode(data, minimumSize: nil).format == format)
        let header = try codec.header(of: data)
        #expect(header.size == PixelSize(width: 33, height: 21))
        #expect(header.hasAlpha == !format.isOpaque)
        #expect(header.bitsPerComponent == 16 || format.depth == .eight)
        #expect(header.frameCount == 1)
    }

    @Test(arguments: [
        "gray8", "gray16", "grayalpha8", "grayalpha16", "rgb8", "rgb16", "rgba8", "rgba16", "palette8-trns",
    ])
    func encodingIsLossless(name: String) throws {
        let pixels = try codec.decode(Fixtures.data(named: "PNG/\(name).png"), minimumSize: nil)
        let data = try codec.encode(pixels, options: .init())
        let again = try codec.decode(data, minimumSize: nil)
        #expect(again.format == pixels.format)
        #expect(Samples.all(again) == Samples.all(pixels))
        #expect(try codec.encode(pixels, options: .init()) == data)
    }

    @Test func premultipliedPixelsBecomeTheNearestStraightOnes() throws {
        let levels = (0...255).flatMap { alpha in (0...alpha).map { [$0, 0, alpha, alpha] } }
        let pixels = try Samples.buffer(1, .rgba8Premultiplied, levels.flatMap { $0 })
        let straight = Samples.all(try codec.decode(codec.encode(pixels, options: .init()), minimumSize: nil))
        for (before, after) in zip(levels, straight) {
            let exact = before[3] == 0 ? 0 : (Double(before[0]) * 255 / Double(before[3])).rounded()
            #expect(after == [Int(exact), 0, before[3] == 0 ? 0 : 255, before[3]])
        }
    }

    @Test func unusedAlphaIsNotEncoded() throws {
        let pixels = try Samples.buffer(2, .rgba8Premultiplied, [1, 2, 3, 255, 4, 5, 6, 255])
        let again = try codec.decode(codec.encode(pixels, options: .init()), minimumSize: nil)
        #expect(again.format == .rgba8Opaque)
        #expect(Samples.all(again) == [[1, 2, 3, 255], [4, 5, 6, 255]])
    }

    @Test func wrongChecksumIsAnError() throws {
        for name in ["rgb8", "palette8-trns"] {
            let data = try Fixtures.data(named: "PNG/\(name).png")
            for chunk in ["IHDR", "IDAT", "tRNS"] {
                guard let offset = data.offset(of: Array(chunk.utf8)) else { continue }
                let damaged = data.replacing([data[offset + 4] ^ 1], at: offset + 4)
                #expect(throws: ImageCodecError.self) { try codec.decode(damaged, minimumSize: nil) }
            }
        }
    }

    @Test func hugeHeaderIsRefused() throws {
        let data = try Fixtures.data(named: "PNG/rgb8.png").promising(pngWidth: 60_000, height: 60_000)
        #expect(throws: ImageCodecError.tooLarge(width: 60_000, height: 60_000)) {
            try codec.decode(data, minimumSize: nil)
        }
        #expect(throws: ImageCodecError.tooLarge(width: 60_000, height: 60_000)) {
            try codec.header(of: data)
        }
        let empty = try Fixtures.data(named: "PNG/rgb8.png").promising(pngWidth: 0, height: 5)
        #expect(throws: ImageCodecError.tooLarge(width: 0, height: 5)) {
            try codec.decode(empty, minimumSize: nil)
        }
    }

    @Test func missingRowsAreAnError() throws {
        let data = try Fixtures.data(named: "PNG/rgb8.png").promising(pngWidth: 33, height: 22)
        #expect(throws: ImageCodecError.self) { try codec.decode(data, minimumSize: nil) }
    }

    @Test(arguments: [UInt32.max, 0x7FFF_FFFF, 0x1000_0000, 5])
    func aWrongChunkLengthIsAnError(length: UInt32) throws {
        let data = try Fixtures.data(named: "PNG/palette8-trns.png")
        for chunk in ["PLTE", "tRNS", "IDAT"] {
            let offset = try #require(data.offset(of: Array(chunk.utf8)))
            let bytes = (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) }
            #expect(throws: ImageCodecError.self) {
                try codec.decode(data.replacing(bytes, at: offset - 4), minimumSize: nil)
            }
        }
    }
}

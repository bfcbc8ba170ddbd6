import CSPNG
import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// The output of the encoder, decoded by libspng and by our decoder.
@Suite struct PNGEncodingTests {
    private static let formats: [PixelFormat] = [PixelFormat.Depth.eight, .sixteen].flatMap { depth in
        [
            PixelFormat(layout: .gray, depth: depth, alpha: .opaque),
            PixelFormat(layout: .grayAlpha, depth: depth, alpha: .straight),
            PixelFormat(layout: .rgba, depth: depth, alpha: .opaque),
            PixelFormat(layout: .rgba, depth: depth, alpha: .straight),
        ]
    }

    /// The pixels of the file in the format of `pixels`, decoded by libspng.
    private func oracle(_ file: Data, like pixels: PixelBuffer) throws -> PixelBuffer {
        try file.reading { reader throws(ImageCodecError) in
            let header = try PNGFileHeader(scanning: reader)
            let decoder = try SPNGDecoder(reader)
            return try PixelBuffer.decoding(header.size, format: pixels.format) {
                rows, bytesPerRow throws(ImageCodecError) in
                try decoder.decode(header, as: pixels.format, into: rows, bytesPerRow: bytesPerRow)
            }
        }
    }

    private func expectSame(_ pixels: PixelBuffer, _ what: String) throws {
        let file = try PNGEncoder.encode(pixels)
        let expected = Samples.all(pixels)
        #expect(try Samples.all(oracle(file, like: pixels)) == expected, "\(what), libspng")
        let again = try PNGCodec().decode(file, minimumSize: nil)
        #expect(again.format == pixels.format, "\(what)")
        #expect(Samples.all(again) == expected, "\(what)")
    }

    @Test(arguments: formats) func noiseOfEveryWidthIsEncodedExactly(format: PixelFormat) throws {
        var generator = SeededGenerator(seed: 35)
        for width in 1...70 {
            let height = Int.random(in: 1...9, using: &generator)
            try expectSame(
                .noise(width, height, format, using: &generator), "\(format) \(width)x\(height)")
        }
    }

    /// Gradients, edges and flat areas, so that every filter and both windows are used.
    @Test(arguments: formats) func imagesOfEveryHeightAreEncodedExactly(format: PixelFormat) throws {
        let channels = format.layout.channels
        let white = format.depth == .eight ? 255 : 65_535
        for height in 1...70 {
            let width = (height * 37) % 71 + 1
            let samples = (0..<height).flatMap { y in
                (0..<width).flatMap { x in
                    (0..<channels).map { c -> Int in
                        if c == channels - 1, channels % 2 == 0 { return format.isOpaque ? white : x % 200 }
                        return switch y / 8 % 5 {
                        case 0: (x * 3 + c) % white
                        case 1: (y * 9 + c) % white
                        case 2: (x * 5 + y * 3) % white
                        case 3: x / 7 % 2 * white
                        default: 20
                        }
                    }
                }
            }
            try expectSame(Samples.buffer(width, format, samples), "\(format) \(width)x\(height)")
        }
    }

    @Test(arguments: KernelLevel.supported) func everyLevelGivesTheSameBytes(level: KernelLevel) throws {
        var generator = SeededGenerator(seed: 36)
        for format in Self.formats + [.rgba8Premultiplied] {
            for (width, height) in [(1, 1), (33, 5), (70, 70), (301, 12)] {
                let pixels = try PixelBuffer.noise(width, height, format, using: &generator)
                let plain = try KernelLevel.$current.withValue(.scalar) { try PNGEncoder.encode(pixels) }
                let fast = try KernelLevel.$current.withValue(level) { try PNGEncoder.encode(pixels) }
                #expect(plain == fast)
            }
        }
    }

    @Test func rowPaddingIsNotEncoded() throws {
        let samples = (0..<5 * 4 * 3).map { $0 % 4 == 3 ? 255 : $0 * 4 }
        let pixels = try Samples.buffer(5, .rgba8Opaque, samples)
        let padded = try PixelBuffer(width: 5, height: 3, format: .rgba8Opaque) { rows, bytesPerRow in
            rows.initializeMemory(as: UInt8.self, repeating: 0xA5)
            pixels.withUnsafeBytes { source in
                for y in 0..<3 {
                    UnsafeMutableRawBufferPointer(rebasing: rows[y * bytesPerRow..<y * bytesPerRow + 20])
                        .copyMemory(
                            from: UnsafeRawBufferPointer(
                                rebasing: source[y * bytesPerRow..<y * bytesPerRow + 20]))
                }
            }
        }
        #expect(padded.bytesPerRow > 20)
        #expect(try PNGEncoder.encode(padded) == PNGEncoder.encode(pixels))
    }

    @Test(arguments: [(1, 65_536), (65_536, 1), (1, 1), (1, 100_003), (40_000, 3)])
    func imagesOfExtremeSizesAreEncodedExactly(width: Int, height: Int) throws {
        var generator = SeededGenerator(seed: 37)
        try expectSame(.noise(width, height, .rgba8Straight, using: &generator), "\(width)x\(height)")
    }

    /// Long rows are filtered in pieces: the first piece, the last piece, and a left neighbour in the
    /// previous piece.
    @Test(arguments: [Self.formats[0], Self.formats[3], Self.formats[7]])
    func longRowsAreEncodedExactly(format: PixelFormat) throws {
        var generator = SeededGenerator(seed: 39)
        for width in [1 << 16 + 1, 2 << 16 + 9] {
            let pixels = try PixelBuffer.noise(width, 2, format, using: &generator)
            try expectSame(pixels, "\(format) \(width)")
            if format.isOpaque { continue }
            let premultiplied = try pixels.converted(to: format.premultiplied)
            let straight = try premultiplied.converted(to: format)
            #expect(try PNGEncoder.encode(premultiplied) == PNGEncoder.encode(straight))
        }
    }

    @Test func anEmptyImageIsAnError() {
        #expect(throws: ImageCodecError.emptyImage) { try Image().encoded(as: .PNG) }
        #expect(Image().kf.pngRepresentation() == nil)
    }

    /// One chunk of each type, checksums by another implementation, and declared sRGB.
    @Test func theFileHasOneChunkOfEachType() throws {
        var generator = SeededGenerator(seed: 38)
        let file = try PNGEncoder.encode(.noise(300, 200, .rgba8Straight, using: &generator))
        let list = ChunkList(file)
        #expect(list.chunks.map(\.type) == ["IHDR", "sRGB", "IDAT", "IEND"])
        #expect(list.file == file)
        #expect(Array(list.chunks[1].data) == [0])
    }

    private func photograph(_ name: String) throws -> PixelBuffer {
        try JPEGCodec().decode(Fixtures.data(named: "Photos/\(name).jpg"), minimumSize: nil)
    }

    /// libspng with zlib's level 6 and every filter, the default of libpng.
    private func level6(_ pixels: PixelBuffer) throws -> Int {
        let context = try #require(spng_ctx_new(Int32(SPNG_CTX_ENCODER.rawValue)))
        defer { spng_ctx_free(context) }
        var header = spng_ihdr()
        (header.width, header.height) = (UInt32(pixels.width), UInt32(pixels.height))
        (header.bit_depth, header.color_type) = (8, pixels.format.layout == .gray ? 0 : 2)
        let channels = pixels.format.layout == .gray ? 1 : 3
        let rows = Samples.all(pixels).flatMap { $0.prefix(channels).map { UInt8($0) } }
        var count = 0
        #expect(spng_set_option(context, SPNG_ENCODE_TO_BUFFER, 1) == 0)
        #expect(spng_set_option(context, SPNG_IMG_COMPRESSION_LEVEL, 6) == 0)
        #expect(spng_set_ihdr(context, &header) == 0)
        let flags = Int32(SPNG_ENCODE_FINALIZE.rawValue)
        #expect(spng_encode_image(context, rows, rows.count, Int32(SPNG_FMT_PNG.rawValue), flags) == 0)
        free(spng_get_png_buffer(context, &count, nil))
        return count
    }

    /// The encoder is at least eight times as fast; the benchmark photograph of one megapixel is at 1.02.
    @Test(arguments: [
        ("astronaut", 1.05), ("coffee", 1.03), ("rocket", 1.07), ("camera", 1.03), ("brick", 0.98),
    ])
    func photographsAreAboutAsSmallAsThoseOfLibpng(name: String, limit: Double) throws {
        let pixels = try photograph(name)
        let ratio = Double(try PNGEncoder.encode(pixels).count) / Double(try level6(pixels))
        #expect(ratio < limit, "\(name): \(ratio)")
    }

    @Test func photographsUseRunLengthsAndDrawingsLongerMatches() throws {
        let photo = try PNGScanlines(photograph("coffee"), as: .rgb)
        #expect(try PNGWindow(for: photo).best == .runs)
        var generator = SeededGenerator(seed: 39)
        let tile = (0..<16 * 9).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let samples = (0..<180 * 160).map { Int(tile[$0 / 160 % 9 * 16 + $0 % 16]) }
        let drawing = try PNGScanlines(Samples.buffer(160, .gray8, samples), as: .gray)
        #expect(try PNGWindow(for: drawing).best == .whole)
    }
}

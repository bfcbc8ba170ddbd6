import CJPEGXL
import Foundation
import KingfisherCodecSupport
import KingfisherJPEGXL
import TestHelpers
import Testing

@Suite("JPEG XL: fields of the header")
struct FieldTests {
    private let color: [UInt8] = [100, 50, 25, 128]

    @Test("Premultiplied alpha is divided, straight alpha is not")
    func premultiplied() throws {
        let file = try RawFile.encode([color]) { ($0.bits_per_sample, $0.alpha_bits) = (16, 16) }
        func levels(_ file: Data) throws -> [Int] {
            let pixels = try decode(file)
            #expect(pixels.format == PixelFormat(layout: .rgba, depth: .sixteen, alpha: .straight))
            return try #require(pixels.samples(x: 3, y: 3)).map { ($0 + 128) / 257 }
        }
        #expect(try levels(file) == [100, 50, 25, 128])
        #expect(try levels(RawFile.premultiplied(file)) == [199, 100, 50, 128])
    }

    @Test("Durations are exact fractions of ticks, and loops are kept", arguments: [0, 1, 7])
    func ticks(_ loops: Int) throws {
        let file = try RawFile.encode([color, [9, 8, 7, 255], color], durations: [1, 2, 24]) {
            $0.have_animation = JXL_TRUE
            ($0.animation.tps_numerator, $0.animation.tps_denominator) = (24_000, 1_001)
            $0.animation.num_loops = UInt32(loops)
        }
        let timing = try #require(try JPEGXLCodec().header(of: file).timing)
        let expected: [Double] = [1, 2, 24].map { ticks in ticks * 1_001 / 24_000 }
        #expect(timing.durations == expected)
        #expect(timing.loopCount == loops)
        let source = try #require(try JPEGXLCodec().frameSource(for: file))
        #expect(source.frame(at: 1, maxSize: nil)?.samples(x: 0, y: 7) == [9, 8, 7, 255])
        #expect(source.frame(at: 0, maxSize: nil)?.samples(x: 0, y: 7) == [100, 50, 25, 128])
    }

    @Test("The layers of a frame are one frame, and an animation of one frame is a still")
    func layers() throws {
        let animation: (inout JxlBasicInfo) -> Void = {
            $0.have_animation = JXL_TRUE
            ($0.animation.tps_numerator, $0.animation.tps_denominator) = (100, 1)
        }
        let layered = try RawFile.encode(
            [color, [1, 2, 3, 255], [4, 5, 6, 255], color], durations: [10, 0, 20, 30], animation)
        #expect(try JPEGXLCodec().header(of: layered).timing?.durations == [0.1, 0.2, 0.3])
        let source = try #require(try JPEGXLCodec().frameSource(for: layered))
        #expect(source.frame(at: 1, maxSize: nil)?.samples(x: 0, y: 0) == [4, 5, 6, 255])
        #expect(source.frame(at: 2, maxSize: nil)?.samples(x: 0, y: 0) == [100, 50, 25, 128])
        let single = try RawFile.encode([color], durations: [10], animation)
        #expect(try JPEGXLCodec().header(of: single).timing == nil)
        #expect(try JPEGXLCodec().frameSource(for: single) == nil)
    }

    @Test("All orientations of the codestream are applied", arguments: 1...8)
    func orientation(_ number: Int) throws {
        let file = try RawFile.encode([color]) {
            $0.orientation = JxlOrientation(rawValue: UInt32(number))
            ($0.xsize, $0.ysize) = (16, 4)
        }
        let header = try JPEGXLCodec().header(of: file)
        #expect(header.orientation == Image.Orientation(exif: number))
        let shown = number > 4 ? PixelSize(width: 4, height: 16) : PixelSize(width: 16, height: 4)
        #expect(header.displaySize == shown)
        #expect(try decode(file).size == shown)
    }
}

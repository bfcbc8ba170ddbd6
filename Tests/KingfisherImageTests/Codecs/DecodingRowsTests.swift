import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// `PixelBuffer.decodingRows`, which codecs of other modules use.
@Suite struct DecodingRowsTests {
    private func image(
        _ size: PixelSize, _ format: PixelFormat, minimum: PixelSize?
    ) throws -> (pixels: PixelBuffer, ranges: [Range<Int>]) {
        var ranges: [Range<Int>] = []
        let pixels = try PixelBuffer.decodingRows(size, format: format, minimumSize: minimum) {
            wanted, rows, bytesPerRow in
            ranges.append(wanted)
            for (index, y) in wanted.enumerated() {
                for x in 0..<size.width * format.bytesPerPixel {
                    let byte = UInt8(truncatingIfNeeded: x &* 7 &+ y &* 13)
                    rows.storeBytes(of: byte, toByteOffset: index * bytesPerRow + x, as: UInt8.self)
                }
            }
        }
        return (pixels, ranges)
    }

    private let formats: [PixelFormat] = [
        .gray8, .rgba8Opaque, .rgba8Straight, PixelFormat(layout: .grayAlpha, alpha: .straight),
        PixelFormat(layout: .rgba, depth: .sixteen, alpha: .opaque),
    ]

    @Test func rowsFollowOneAnotherAndCoverTheImage() throws {
        let size = PixelSize(width: 300, height: 1_001)
        for format in formats {
            for minimum in [nil, PixelSize(width: 20, height: 70), PixelSize(width: 1, height: 1)] {
                let (pixels, ranges) = try image(size, format, minimum: minimum)
                #expect(ranges.flatMap { Array($0) } == Array(0..<1_001))
                #expect(
                    pixels.width >= 2 * (minimum?.width ?? 0) && pixels.height >= minimum?.height ?? 1_001)
            }
        }
    }

    @Test func smallImagesEqualTheShrunkWhole() throws {
        let size = PixelSize(width: 300, height: 401)
        let target = PixelSize(width: 21, height: 28)
        for format in formats where format.depth == .eight {
            let whole = try image(size, format, minimum: nil).pixels
            let small = try image(size, format, minimum: target.doubled).pixels
            #expect(small.width < 300)
            #expect(try small.resized(to: target).packedBytes == whole.resized(to: target).packedBytes)
        }
    }

    @Test func memoryIsThatOfTheResultAndSomeRows() throws {
        let size = PixelSize(width: 8_000, height: 8_000)
        func memory(_ minimum: PixelSize?) -> Int {
            PixelBuffer.memoryOfRows(size, format: .rgba8Opaque, minimumSize: minimum)
        }
        #expect(memory(nil) == 256_000_000)
        #expect(memory(PixelSize(width: 200, height: 200)) < 3 << 20)
        // A row above a megabyte is not shrunk, and nothing overflows.
        let wide = PixelSize(width: 1 << 20, height: 4)
        let small = PixelSize(width: 1, height: 1)
        #expect(PixelBuffer.memoryOfRows(wide, format: .rgba8Opaque, minimumSize: small) == 1 << 24)
        let huge = PixelSize(width: .max, height: .max)
        #expect(PixelBuffer.memoryOfRows(huge, format: .rgba8Opaque, minimumSize: huge) == .max)
        #expect(memory(huge) == 256_000_000)
    }

    @Test func errorsAndLimitsAreThrown() {
        let size = PixelSize(width: 100, height: 100)
        #expect(throws: ImageCodecError.truncated) {
            try PixelBuffer.decodingRows(size, format: .gray8, minimumSize: PixelSize(width: 1, height: 1)) {
                wanted, _, _ throws(ImageCodecError) in
                if wanted.contains(50) { throw .truncated }
            }
        }
        let limits = ImageLimits(maximumFrameBytes: 12_800)
        DecodingContext(limits: limits).run {
            #expect(throws: Never.self) { try image(size, .gray8, minimum: nil) }
            #expect(throws: ImageCodecError.tooMuchMemory) {
                try PixelBuffer.decodingRows(size, format: .gray8, minimumSize: nil, beside: 1) { _, _, _ in }
            }
        }
    }
}

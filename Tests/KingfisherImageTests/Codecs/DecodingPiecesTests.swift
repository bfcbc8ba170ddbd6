import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// `PixelBuffer.decodingPieces`, which codecs of other modules use.
@Suite struct DecodingPiecesTests {
    private let formats: [PixelFormat] = [
        .gray8, .rgba8Opaque, .rgba8Straight, PixelFormat(layout: .grayAlpha, alpha: .straight),
        PixelFormat(layout: .rgba, depth: .sixteen, alpha: .straight),
    ]

    private func fill(_ target: UnsafeMutableRawPointer, _ format: PixelFormat, _ count: Int, x: Int, y: Int)
    {
        let sample = format.depth.rawValue / 8
        for index in 0..<count * format.bytesPerPixel {
            let place = x * format.bytesPerPixel + index
            // An alpha sample that is opaque has its maximum.
            let isAlpha = place / sample % format.layout.channels == 3 && format.isOpaque
            let byte = isAlpha ? 255 : UInt8(truncatingIfNeeded: place &* 7 &+ y &* 13)
            target.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
        }
    }

    /// The image in tiles of 64 pixels, shuffled within rows of tiles, or all of them.
    private func pieces(
        _ size: PixelSize, _ format: PixelFormat, minimum: PixelSize?, shuffled: Bool = true,
        without: Int = -1
    ) throws -> PixelBuffer {
        var random = SeededGenerator(seed: 3)
        let tiles = stride(from: 0, to: size.height, by: 64).flatMap { y in
            stride(from: 0, to: size.width, by: 64).map { x in (x: x, y: y) }
        }
        let order = shuffled ? tiles.shuffled(using: &random) : tiles
        return try PixelBuffer.decodingPieces(size, format: format, minimumSize: minimum) { pieces in
            for (index, tile) in order.enumerated() where index != without {
                for y in tile.y..<min(tile.y + 64, size.height) {
                    let count = min(64, size.width - tile.x)
                    pieces.put(count, x: tile.x, y: y) { fill($0, format, count, x: tile.x, y: y) }
                }
            }
        }
    }

    @Test func piecesInAnyOrderEqualRows() throws {
        let size = PixelSize(width: 300, height: 401)
        for format in formats {
            for minimum in [nil, PixelSize(width: 21, height: 28), PixelSize(width: 1, height: 1)] {
                let expected = try PixelBuffer.decodingRows(size, format: format, minimumSize: minimum) {
                    wanted, rows, bytesPerRow in
                    for (index, y) in wanted.enumerated() {
                        fill(rows + index * bytesPerRow, format, size.width, x: 0, y: y)
                    }
                }
                let pixels = try pieces(size, format, minimum: minimum)
                #expect(pixels.size == expected.size && pixels.format == expected.format)
                #expect(pixels.extent == expected.extent)
                #expect(pixels.packedBytes == expected.packedBytes)
            }
        }
    }

    @Test func missingPiecesAreTruncated() {
        let size = PixelSize(width: 200, height: 200)
        for minimum in [nil, PixelSize(width: 10, height: 10)] {
            #expect(throws: ImageCodecError.truncated) {
                try pieces(size, .rgba8Opaque, minimum: minimum, without: 5)
            }
        }
    }

    @Test func piecesOutsideOfTheImageAreIgnored() throws {
        let size = PixelSize(width: 40, height: 40)
        for minimum in [nil, PixelSize(width: 2, height: 2)] {
            #expect(throws: ImageCodecError.truncated) {
                try PixelBuffer.decodingPieces(size, format: .gray8, minimumSize: minimum) { pieces in
                    for (x, y, count) in [
                        (0, 40, 40), (0, -1, 1), (-1, 0, 1), (1, 0, 40), (40, 0, 1), (0, 0, 0), (.max, 0, 2),
                        (0, .max, 1), (2, 2, .max), (2, 2, -4),
                    ] {
                        pieces.put(count, x: x, y: y) { _ in Issue.record("\(x), \(y), \(count)") }
                    }
                }
            }
        }
    }

    @Test func memoryIsLimitedAndRowsOfBoxesAreReused() throws {
        let size = PixelSize(width: 1_000, height: 1_000)
        let minimum = PixelSize(width: 20, height: 20)
        // The result has 40x40 pixels; a row of tiles takes 250 KB, and one of boxes that overlaps it 100 KB.
        let limits = DecodingContext(limits: ImageLimits(maximumFrameBytes: 600_000))
        limits.run {
            #expect(throws: Never.self) { try pieces(size, .rgba8Opaque, minimum: minimum, shuffled: false) }
            #expect(throws: ImageCodecError.tooMuchMemory) {
                try pieces(size, .rgba8Opaque, minimum: minimum, shuffled: true)
            }
            #expect(throws: ImageCodecError.tooMuchMemory) {
                try pieces(size, .rgba8Opaque, minimum: nil)
            }
            let others = 600_000 - 40 * 64
            #expect(throws: ImageCodecError.tooMuchMemory) {
                try PixelBuffer.decodingPieces(
                    size, format: .gray8, minimumSize: minimum, beside: others
                ) { pieces in pieces.put(10, x: 0, y: 0) { _ in } }
            }
        }
    }
}

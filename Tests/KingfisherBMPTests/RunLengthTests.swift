import Foundation
import KingfisherBMP
import KingfisherTestSupport
import TestHelpers
import Testing

/// Codes written by hand; the colour of the index i is (i, i, i).
@Suite struct RunLengthTests {
    private let codec = BMPCodec()

    private func grays(_ file: BitmapFile) throws -> [[Int]] {
        let pixels = try codec.decode(file.data, minimumSize: nil)
        return (0..<pixels.height).map { y in
            (0..<pixels.width).map { pixels.samples(x: $0, y: y)?[0] ?? -1 }
        }
    }

    @Test func rowsBeginAtTheBottom() throws {
        let codes: [UInt8] = [4, 1, 0, 0, 4, 2, 0, 0, 4, 3, 0, 1]
        #expect(try grays(.runs(codes)) == [[3, 3, 3, 3], [2, 2, 2, 2], [1, 1, 1, 1]])
    }

    @Test func skippedPixelsHaveTheFirstColour() throws {
        var file = BitmapFile.runs([2, 5, 0, 2, 1, 1, 1, 6, 0, 1])
        file.palette.replaceSubrange(0..<3, with: [9, 9, 9])
        #expect(try grays(file) == [[9, 9, 9, 9], [9, 9, 9, 6], [5, 5, 9, 9]])
    }

    @Test func runsEndAtTheRightEdge() throws {
        let codes: [UInt8] = [255, 1, 3, 7, 0, 0, 0, 5, 2, 3, 4, 5, 6, 0, 0, 1]
        #expect(try grays(.runs(codes)) == [[0, 0, 0, 0], [2, 3, 4, 5], [1, 1, 1, 1]])
    }

    @Test func codesAboveTheTopAreIgnored() throws {
        let codes: [UInt8] = [4, 1, 0, 2, 0, 9, 4, 2, 0, 0, 4, 3]
        #expect(try grays(.runs(codes)) == [[0, 0, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1]])
    }

    @Test func nibblesAlternate() throws {
        let codes: [UInt8] = [3, 0x12, 0, 0, 0, 3, 0x34, 0x50, 0, 0, 4, 0x66, 0, 1]
        let rows = try grays(.runs(codes, bits: 4))
        #expect(rows == [[6, 6, 6, 6], [3, 4, 5, 0], [1, 2, 1, 0]])
    }

    @Test func codesThatEndTooEarlyAreTruncated() throws {
        let codes: [UInt8] = [4, 1, 0, 0, 4, 2, 0, 0, 0, 3, 7, 8, 9, 0, 1, 6]
        #expect(codec.failure(of: BitmapFile.runs(codes).data) == nil)
        for count in 0..<codes.count {
            let file = BitmapFile.runs(Array(codes[..<count])).data
            #expect(codec.failure(of: file) == .truncated, "\(count)")
            #expect(codec.endsEarly(file))
            let part = try codec.decode(file, minimumSize: nil, acceptsPartialImages: true)
            #expect(part.size == PixelSize(width: 4, height: 3))
        }
    }

    /// Rows are decoded one at a time, because they are wide: a row with many codes that is followed by
    /// skipped ones must not be read for each of them.
    @Test(.timeLimit(.minutes(1))) func skippedRowsDoNotReadTheCodesBelowAgain() throws {
        let idle = (0..<200_000).flatMap { _ in [0, 2, 0, 0] as [UInt8] }
        let codes: [UInt8] = [1, 9] + idle + [0, 2, 0, 255, 1, 7, 0, 1]
        let file = BitmapFile.runs(codes, width: 50_000, height: 300)
        let pixels = try codec.decode(file.data, minimumSize: nil)
        #expect(pixels.samples(x: 0, y: 299)?[0] == 9)
        #expect(pixels.samples(x: 1, y: 299 - 255)?[0] == 7)
        #expect(pixels.samples(x: 1, y: 150)?[0] == 0)
    }

    /// More rows than have a position in memory.
    @Test func rowsOfTallImagesAreFound() throws {
        let height = 200_000
        let codes = (0..<height).flatMap { [1, UInt8($0 % 251), 0, 0] as [UInt8] }
        let data = BitmapFile.runs(codes, width: 1, height: height).data
        let pixels = try codec.decode(data, minimumSize: nil)
        for y in stride(from: 0, to: height, by: 997) {
            #expect(pixels.samples(x: 0, y: y)?[0] == (height - 1 - y) % 251)
        }
    }
}

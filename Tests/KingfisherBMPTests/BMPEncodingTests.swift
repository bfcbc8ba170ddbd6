import Foundation
import KingfisherBMP
import KingfisherTestSupport
import TestHelpers
import Testing

@Suite struct BMPEncodingTests {
    private let codec = BMPCodec()

    private func numbers(_ values: (Int, Int)...) -> Data {
        values.reduce(into: Data()) { $0.append($1.0, $1.1) }
    }

    @Test func opaqueImagesHave24Bits() throws {
        let pixels = try PixelBuffer.make([1, 2, 3, 255, 4, 5, 6, 255], width: 1, format: .rgba8Opaque)
        let header = numbers(
            (62, 4), (0, 4), (54, 4), (40, 4), (1, 4), (2, 4), (1, 2), (24, 2), (0, 4), (8, 4), (2835, 4),
            (2835, 4), (0, 4), (0, 4))
        let expected = Data("BM".utf8) + header + [6, 5, 4, 0, 3, 2, 1, 0]
        #expect(try codec.encode(pixels, options: ImageEncodingOptions()) == expected)
    }

    @Test func imagesWithAlphaHave32BitsAndMasks() throws {
        let pixels = try PixelBuffer.make([1, 2, 3, 128], width: 1, format: .rgba8Straight)
        let file = try codec.encode(pixels, options: ImageEncodingOptions())
        #expect(file.count == 14 + 124 + 4)
        #expect(file[14..<18] == numbers((124, 4)) && file[28..<34] == numbers((32, 2), (3, 4)))
        #expect(file[54..<70] == numbers((0xFF0000, 4), (0xFF00, 4), (0xFF, 4), (0xFF00_0000, 4)))
        #expect(file[70..<74] == Data("BGRs".utf8))
        #expect(file.suffix(4) == Data([3, 2, 1, 128]))
    }

    /// The decoder of this module reads the fixtures of other programs, so it can judge these files.
    @Test(arguments: ["BMP/rgb24.bmp", "BMP/v5-8888.bmp", "BMP/palette8.bmp", "BMP/rgb24-5x2.bmp"])
    func imagesAreUnchanged(name: String) throws {
        let pixels = try codec.decode(Fixtures.data(named: name), minimumSize: nil)
        let file = try codec.encode(pixels, options: ImageEncodingOptions())
        let again = try codec.decode(file, minimumSize: nil)
        #expect(again.format == pixels.format && again.packedBytes == pixels.packedBytes)
    }

    @Test func otherFormatsAreConverted() throws {
        let gray = try PixelBuffer.make([7, 9], width: 2, format: .gray8)
        let file = try codec.encode(gray, options: ImageEncodingOptions())
        #expect(try codec.decode(file, minimumSize: nil).packedBytes == [7, 7, 7, 255, 9, 9, 9, 255])
        let clear = try PixelBuffer.make([50, 0, 0, 100], width: 1, format: .rgba8Premultiplied)
        let straight = try codec.encode(clear, options: ImageEncodingOptions())
        #expect(try codec.decode(straight, minimumSize: nil).packedBytes == [128, 0, 0, 100])
    }
}

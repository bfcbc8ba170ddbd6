import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// Sides that are not a multiple of libjpeg's scale: the last output pixel is only partially covered. If it
/// counted as a whole one, the image would be stretched.
@Suite struct JPEGExtentTests {
    private let codec = JPEGCodec()

    /// A smooth image in which a shift by a fraction of a pixel is measurable.
    private func waves(_ width: Int, _ height: Int, orientation: UInt8) throws -> Data {
        let pixels = try PixelBuffer(width: width, height: height, format: .gray8) { rows, bytesPerRow in
            for y in 0..<height {
                for x in 0..<width {
                    let wave = sin(Double(x) / 16) * cos(Double(y) / 13)
                    rows[y * bytesPerRow + x] = UInt8(128 + 110 * wave)
                }
            }
        }
        let file = try codec.encode(pixels, options: ImageEncodingOptions(quality: 1))
        // One directory with one entry, 0x0112, a short (TIFF 6.0, section 2).
        let exif: [UInt8] =
            Array("Exif\0\0MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation]
            + [0, 0, 0, 0, 0, 0]
        return file.prefix(2) + [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif + file.dropFirst(2)
    }

    private func psnr(of data: Data, shrunkTo target: PixelSize) throws -> Double {
        let small = try codec.decode(data, shrunkTo: target)
        let expected = try codec.decode(data, minimumSize: nil).resized(to: target)
        try #require(small.size == target)
        return try #require(
            PixelDifference(Samples.all(small).flatMap(\.self), Samples.all(expected).flatMap(\.self))
        ).psnr
    }

    @Test(arguments: 1...8 as ClosedRange<UInt8>, [1, 2, 4]) func oddSidesAreNotStretched(
        orientation: UInt8, eighths: Int
    ) throws {
        let data = try waves(361, 273, orientation: orientation)
        let full = try codec.header(of: data).displaySize
        let target = try #require(full.shrunk(toLongerSide: Double(20 * eighths)))
        let stored = PixelSize(width: 20 * eighths, height: 15 * eighths)
        #expect(
            JPEGScale(shrinking: PixelSize(width: 361, height: 273), to: stored, isProgressive: false)
                .eighths == eighths)
        #expect(try psnr(of: data, shrunkTo: target) > 45)
    }

    /// 48 x 36 pixels; an eighth covers 6 x 4.5.
    @Test func oddSidesOfDCScansAreNotStretched() throws {
        let data = try Fixtures.data(named: "JPEG/progressive-444.jpg")
        let pixels = try codec.decode(data, minimumSize: PixelSize(width: 6, height: 4))
        #expect(pixels.size == PixelSize(width: 6, height: 5))
        #expect(pixels.extent == PixelExtent(width: 6, height: 4.5))
    }

    @Test func theExtentIsCopiedWithThePixels() throws {
        let data = try waves(361, 273, orientation: 1)
        let pixels = try codec.decode(data, minimumSize: PixelSize(width: 40, height: 30))
        #expect(pixels.size == PixelSize(width: 46, height: 35))
        #expect(pixels.extent == PixelExtent(width: 45.125, height: 34.125))
        #expect(try pixels.upright(from: .leftMirrored).extent == PixelExtent(width: 34.125, height: 45.125))
        #expect(try pixels.upright(from: .right).extent == PixelExtent(width: 35, height: 45.125))
        #expect(try pixels.upright(from: .upMirrored).extent == PixelExtent(width: 46, height: 34.125))
        #expect(try pixels.upright(from: .down).extent == PixelExtent(width: 46, height: 35))
    }
}

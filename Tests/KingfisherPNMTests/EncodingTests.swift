import Foundation
import KingfisherPNM
import KingfisherTestSupport
import TestHelpers
import Testing

@Suite struct EncodingTests {
    private let codec = PNMCodec()

    private func encoded(
        _ samples: [Int], _ layout: PixelFormat.Layout, _ depth: PixelFormat.Depth, _ alpha: PixelFormat.Alpha
    ) throws -> Data {
        let format = PixelFormat(layout: layout, depth: depth, alpha: alpha)
        return try codec.encode(.make(samples, width: 1, format: format), options: ImageEncodingOptions())
    }

    @Test func opaqueImagesArePGMAndPPM() throws {
        #expect(try encoded([7, 8], .gray, .eight, .opaque) == Data("P5\n1 2\n255\n".utf8) + [7, 8])
        #expect(
            try encoded([0x1234], .gray, .sixteen, .opaque) == Data("P5\n1 1\n65535\n".utf8) + [0x12, 0x34])
        #expect(
            try encoded([1, 2, 3, 255], .rgba, .eight, .opaque) == Data("P6\n1 1\n255\n".utf8) + [1, 2, 3])
        #expect(
            try encoded([1, 2, 3, 65_535], .rgba, .sixteen, .opaque)
                == Data("P6\n1 1\n65535\n".utf8) + [0, 1, 0, 2, 0, 3])
    }

    @Test func imagesWithAlphaArePAM() throws {
        let color = "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n"
        #expect(try encoded([1, 2, 3, 4], .rgba, .eight, .straight) == Data(color.utf8) + [1, 2, 3, 4])
        #expect(
            try encoded([50, 0, 0, 100], .rgba, .eight, .premultiplied) == Data(color.utf8) + [
                128, 0, 0, 100,
            ])
        let gray = "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 65535\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n"
        #expect(try encoded([258, 772], .grayAlpha, .sixteen, .straight) == Data(gray.utf8) + [1, 2, 3, 4])
    }

    @Test(arguments: References.names) func samplesAreUnchanged(name: String) throws {
        let pixels = try codec.decode(Fixtures.data(named: name), minimumSize: nil)
        let file = try codec.encode(pixels, options: ImageEncodingOptions())
        let again = try codec.decode(file, minimumSize: nil)
        #expect(again.format == pixels.format && again.packedBytes == pixels.packedBytes)
    }

    /// Netpbm's own files with these maxima have the same header and so the same bytes.
    @Test(arguments: ["PNM/gray-255.pgm", "PNM/gray-65535.pgm", "PNM/rgb-255.ppm", "PNM/rgb-65535.ppm"])
    func filesAreUnchanged(name: String) throws {
        let file = try Fixtures.data(named: name)
        let pixels = try codec.decode(file, minimumSize: nil)
        #expect(try codec.encode(pixels, options: ImageEncodingOptions()) == file)
    }
}

import Foundation
import KingfisherBMP
import KingfisherTestSupport
import TestHelpers
import Testing

/// Primaries and exponents of a V4 header.
@Suite struct CalibrationTests {
    private static let sRGB = [0.64, 0.33, 0.03, 0.30, 0.60, 0.10, 0.15, 0.06, 0.79]
    private static let adobeRGB = [0.64, 0.33, 0.03, 0.21, 0.71, 0.08, 0.15, 0.06, 0.79]

    private func file(_ primaries: [Double], _ exponent: Double) -> BitmapFile {
        var file = BitmapFile(width: 8, height: 8)
        file.headerBytes = 108
        // Masks, and LCS_CALIBRATED_RGB.
        file.rest = Data(count: 20)
        for value in primaries { file.rest.append(Int((value * Double(1 << 30)).rounded()), 4) }
        for _ in 0..<3 { file.rest.append(Int((exponent * 65_536).rounded()), 4) }
        return file
    }

    private func pixels(_ file: BitmapFile) throws -> [UInt8] {
        try BMPCodec().decode(file.data, minimumSize: nil).packedBytes
    }

    private func distance(_ first: [UInt8], _ second: [UInt8]) -> Int {
        zip(first, second).map { abs(Int($0) - Int($1)) }.max() ?? 0
    }

    /// bmpsuite's `pal8v4.bmp` has 1/2.2.
    @Test("Primaries of sRGB with about 2.2 or 1/2.2 mean sRGB", arguments: [2.2, 1 / 2.2, 2.15, 0.45])
    func sRGBIsNotConverted(exponent: Double) throws {
        #expect(try pixels(file(Self.sRGB, exponent)) == pixels(BitmapFile(width: 8, height: 8)))
    }

    @Test("An exponent below 1 is the inverse", arguments: [1.8, 2.2, 2.6])
    func inverse(exponent: Double) throws {
        let expected = try pixels(file(Self.adobeRGB, exponent))
        #expect(try distance(pixels(file(Self.adobeRGB, 1 / exponent)), expected) <= 1)
        #expect(try distance(pixels(BitmapFile(width: 8, height: 8)), expected) > 5)
    }

    @Test("Linear light, and exponents of other curves, are converted", arguments: [1, 1.8])
    func otherExponents(exponent: Double) throws {
        let stored = try pixels(BitmapFile(width: 8, height: 8))
        #expect(try distance(pixels(file(Self.sRGB, exponent)), stored) > 5)
    }
}

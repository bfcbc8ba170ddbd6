import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// Conversions of colour spaces by numbers, against the formulas of the standards.
@Suite("Colours by numbers") struct ColorEncodingTests {
    private static let deep = PixelFormat(layout: .rgba, depth: .sixteen, alpha: .opaque)

    /// In 0...1.
    private func converted(_ samples: [[Double]], _ encoding: ColorEncoding) throws -> [[Double]] {
        let stored = samples.flatMap { ($0 + [1]).map { Int(($0 * 65_535).rounded()) } }
        let pixels = try Samples.buffer(samples.count, Self.deep, stored)
        let result = try encoding.transform(of: .rgb(.sixteen))?.converted(pixels) ?? pixels
        return Samples.all(result).map { $0.prefix(3).map { Double($0) / 65_535 } }
    }

    private static let cube = (0..<729).map { index in
        [index % 9, index / 9 % 9, index / 81].map { Double($0) / 8 }
    }

    /// The tolerance is 0.3 levels of 8 bits.
    @Test(
        "Display P3 and BT.2020 convert through linear light",
        arguments: [(12, 13), (9, 13), (9, 14), (9, 16), (9, 18), (12, 8)] as [(UInt8, UInt8)])
    func codePoints(_ points: (UInt8, UInt8)) throws {
        let encoding = try #require(
            ColorEncoding(primaries: Int(points.0), transfer: Int(points.1)))
        let pixels = try converted(Self.cube, encoding)
        for (pixel, stored) in zip(pixels, Self.cube) {
            let light = stored.map { LightReference.light($0, points.1) }
            let exact = LightReference.encoded(light, LightReference.matrix(points.0))
            #expect(zip(pixel, exact).allSatisfy { abs($0 - $1) < 0.3 / 255 }, "\(stored)")
        }
    }

    /// A conversion of encoded samples by the same matrix is wrong by more than the tolerances above.
    @Test("A conversion without linear light would be noticed")
    func withoutLight() {
        let distance = Self.cube.map { stored in
            let wrong = LightReference.displayP3.map { row in zip(row, stored).reduce(0) { $0 + $1.0 * $1.1 }
            }
            let light = stored.map { LightReference.light($0, 13) }
            let exact = LightReference.encoded(light, LightReference.displayP3)
            return zip(wrong, exact).map { abs(min(max($0, 0), 1) - $1) }.max() ?? 0
        }
        #expect((distance.max() ?? 0) > 20.0 / 255)
    }

    @Test("Display P3 as an ICC profile gives the same colours as the formula")
    func profile() throws {
        let file = try Fixtures.data(named: "Color/display-p3.png")
        var plain = ChunkList(file)
        plain.chunks.removeAll { $0.type == "iCCP" }
        let stored = Samples.all(try PNGCodec().decode(plain.file, minimumSize: nil))
        let pixels = Samples.all(try PNGCodec().decode(file, minimumSize: nil))
        #expect(stored != pixels)
        for (pixel, stored) in zip(pixels, stored) {
            let light = stored.prefix(3).map { LightReference.light(Double($0) / 255, 13) }
            let exact = LightReference.encoded(light, LightReference.displayP3)
            for channel in 0..<3 { #expect(abs(Double(pixel[channel]) - exact[channel] * 255) <= 1.5) }
        }
    }

    @Test("Unknown and unspecified code points give no encoding, sRGB no transform")
    func unknown() throws {
        for (primaries, transfer) in [(0, 13), (2, 13), (3, 13), (10, 13), (1, 0), (1, 2), (1, 7), (1, 255)] {
            #expect(ColorEncoding(primaries: primaries, transfer: transfer) == nil)
        }
        for transfer in [1, 6, 13, 14, 15] {
            let encoding = try #require(ColorEncoding(primaries: 1, transfer: transfer))
            #expect(encoding.transform(of: .rgb(.eight)) == nil)
        }
    }

    @Test(
        "Numbers without a meaning give no transform",
        arguments: [0, -1, 0.09, 10.1, .infinity, .nan, 1e300, -.infinity] as [Double])
    func meaningless(number: Double) {
        let curve = ColorEncoding(chromaticities: .sRGB, curve: .gamma(number))
        #expect(curve.transform(of: .rgb(.eight)) == nil)
        #expect(curve.transform(of: .gray(.eight, alpha: false)) == nil)
        let bad = Chromaticities.Point(x: number, y: number)
        let good = Chromaticities.sRGB
        for primaries in [
            Chromaticities(red: bad, green: bad, blue: bad, white: bad),
            Chromaticities(red: good.red, green: good.green, blue: good.blue, white: bad),
            Chromaticities(red: bad, green: bad, blue: good.blue, white: good.white),
        ] {
            let encoding = ColorEncoding(chromaticities: primaries, curve: .gamma(1.8))
            #expect(encoding.transform(of: .rgb(.sixteen)) == nil)
        }
    }

    @Test("Each channel may have an exponent of its own; then there is no greyscale")
    func gammas() throws {
        let encoding = ColorEncoding(
            chromaticities: .sRGB, curve: .gammas(red: 1, green: 1.8, blue: 2.6))
        for (pixel, stored) in zip(try converted(Self.cube, encoding), Self.cube) {
            let exact = zip(stored, [1, 1.8, 2.6]).map { LightReference.encoded(pow($0, $1)) }
            #expect(zip(pixel, exact).allSatisfy { abs($0 - $1) < 0.3 / 255 }, "\(stored)")
        }
        #expect(encoding.transform(of: .gray(.eight, alpha: false)) == nil)
        let invalid = ColorEncoding(chromaticities: .sRGB, curve: .gammas(red: 1, green: 0, blue: 2))
        #expect(invalid.transform(of: .rgb(.eight)) == nil)
    }

    @Test("Linear light of a monochrome image takes the curve of sRGB")
    func gray() throws {
        let encoding = ColorEncoding(chromaticities: .sRGB, curve: .gamma(1))
        let format = PixelFormat(layout: .gray, depth: .sixteen, alpha: .opaque)
        let pixels = try Samples.buffer(256, format, (0...255).map { $0 * 257 })
        let transform = try #require(encoding.transform(of: ICCSamples(format)))
        for (level, pixel) in Samples.all(try transform.converted(pixels)).enumerated() {
            let exact = LightReference.encoded(Double(level) / 255)
            #expect(abs(Double(pixel[0]) / 65_535 - exact) < 0.3 / 255)
        }
    }
}

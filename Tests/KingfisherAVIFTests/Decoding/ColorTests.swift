import Foundation
import KingfisherAVIF
import KingfisherCodecSupport
import KingfisherTestSupport
import TestHelpers
import Testing

@Suite("AVIF: colours", .enabled(if: Tools.arePresent))
struct ColorTests {
    private func decoded(_ color: [Double], _ nclx: String) throws -> [Int] {
        let file = try Tools.encode(
            [TestImages.flat(color)], "-y", "444", "--min", "0", "--max", "0", "--nclx", nclx)
        return try #require(try decode(file).samples(x: 30, y: 30))
    }

    @Test(
        "Colours of Display P3 and BT.2020 become sRGB through linear light",
        arguments: ["12/13/6", "9/13/6"])
    func primaries(_ nclx: String) throws {
        let color = [0.7, 0.45, 0.3].map { ($0 * 255).rounded(.down) / 255 }
        let primaries = nclx.hasPrefix("12") ? LightReference.displayP3 : LightReference.rec2020
        let expected = LightReference.levels(color.map { LightReference.light($0, 13) }, primaries)
        let pixel = try decoded(color, nclx)
        #expect(zip(pixel, expected).allSatisfy { abs($0 - $1) <= 2 }, "\(pixel) instead of \(expected)")
    }

    @Test("PQ and HLG of BT.2020 are tone-mapped in linear light", arguments: ["9/16/9", "9/18/9"])
    func highDynamicRange(_ nclx: String) throws {
        for color in [[0.55, 0.45, 0.35], [0.3, 0.5, 0.6], [0.7, 0.7, 0.2]] {
            let stored = color.map { ($0 * 255).rounded(.down) / 255 }
            let light = stored.map { LightReference.light($0, nclx == "9/16/9" ? 16 : 18) }
            let expected = LightReference.levels(light, LightReference.rec2020)
            let pixel = try decoded(stored, nclx)
            // A level of chroma moves a sample of the file by up to two, and the matrix amplifies it.
            #expect(
                zip(pixel, expected).allSatisfy { abs($0 - $1) <= 5 }, "\(pixel) instead of \(expected)")
            #expect(zip(pixel, stored).contains { abs(Double($0) - $1 * 255) > 8 })
        }
    }

    /// The reference is ImageCms (lcms2), by Tests/Fixtures/generate/color.py.
    @Test("An ICC profile converts as ImageCms does and wins over nclx", arguments: ["2/2/0", "12/16/0"])
    func profile(_ nclx: String) throws {
        let image = try TestImages.colors(named: "gradient")
        let profile = Fixtures.url(named: "Color/rec2020.icc").path
        let file = try Tools.encode([image], "-l", "--nclx", nclx, "--icc", profile)
        let (stored, pixels) = try (PixelGrid(image).samples, PixelGrid(decode(file)).samples)
        let expected = try PixelGrid(TestImages.colors(named: "gradient.rec2020")).samples
        try #require(pixels.count == expected.count)
        // Colours of transparent pixels may be changed by the encoder.
        for index in pixels.indices where stored[index | 3] > 0 {
            #expect(abs(pixels[index] - expected[index]) <= 1)
        }
    }

    @Test("Linear light and gamma 2.8 become the curve of sRGB", arguments: [(8, 1.0), (5, 2.8)])
    func transfer(_ code: Int, _ gamma: Double) throws {
        let pixel = try decoded([0.5, 0.5, 0.5], "1/\(code)/6")
        let expected = LightReference.level(pow(127.0 / 255, gamma))
        #expect(abs(pixel[0] - expected) <= 2, "\(pixel) instead of \(expected)")
    }

    @Test("sRGB and BT.709 are not converted", arguments: ["1/13/6", "1/1/1", "2/2/6"])
    func unchanged(_ nclx: String) throws {
        let pixel = try decoded([0.8, 0.4, 0.2], nclx)
        #expect(zip(pixel, [204, 102, 51]).allSatisfy { abs($0 - $1) <= 2 }, "\(pixel)")
    }

    @Test("PQ at 203 nits becomes the middle of the tone curve, and the peak white")
    func pq() throws {
        // BT.2100's PQ of 203 nits is 0.5807; of 1,000 nits 0.7518.
        let white = LightReference.level((1 + pow(203.0 / 1_000, 2)) / 2)
        let pixel = try decoded([0.5807, 0.5807, 0.5807], "1/16/6")
        #expect(abs(pixel[0] - white) <= 3, "\(pixel) instead of \(white)")
        #expect(try decoded([0.76, 0.76, 0.76], "1/16/6")[0] >= 254)
    }
}

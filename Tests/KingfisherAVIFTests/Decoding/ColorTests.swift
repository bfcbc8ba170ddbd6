import Foundation
import KingfisherAVIF
import KingfisherCodecSupport
import KingfisherTestSupport
import Testing

@Suite("AVIF: colours", .enabled(if: Tools.arePresent))
struct ColorTests {
    private func decoded(_ color: [Double], _ nclx: String) throws -> [Int] {
        let file = try Tools.encode(
            [Samples.flat(color)], "-y", "444", "--min", "0", "--max", "0", "--nclx", nclx)
        return try #require(try decode(file).samples(x: 30, y: 30))
    }

    private func linear(_ value: Double) -> Double {
        value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    private func encoded(_ value: Double) -> Int {
        let value = min(max(value, 0), 1)
        return Int(
            ((value <= 0.0031308 ? value * 12.92 : 1.055 * pow(value, 1 / 2.4) - 0.055) * 255).rounded())
    }

    /// The matrices of CSS Color 4, sample code, for D65.
    private func converted(_ light: [Double], _ primaries: String) -> [Int] {
        let matrix =
            primaries == "12"
            ? [[1.22494, -0.22494, 0], [-0.04206, 1.04206, 0], [-0.01964, -0.07864, 1.09827]]
            : [
                [1.66049, -0.58764, -0.07285], [-0.12455, 1.13290, -0.00835], [-0.01815, -0.10058, 1.11873],
            ]
        return matrix.map { row in encoded(zip(row, light).reduce(0) { $0 + $1.0 * $1.1 }) }
    }

    @Test(
        "Colours of Display P3 and BT.2020 become sRGB through linear light",
        arguments: ["12/13/6", "9/13/6"])
    func primaries(_ nclx: String) throws {
        let color = [0.7, 0.45, 0.3].map { ($0 * 255).rounded(.down) / 255 }
        let expected = converted(color.map(linear), String(nclx.prefix { $0 != "/" }))
        let pixel = try decoded(color, nclx)
        #expect(zip(pixel, expected).allSatisfy { abs($0 - $1) <= 2 }, "\(pixel) instead of \(expected)")
    }

    /// Light in nits by ITU-R BT.2100-2, tables 4 and 5.
    private func nits(_ sample: Double, isPQ: Bool) -> Double {
        if isPQ {
            let power = pow(sample, 32 / 2_523.0)
            let light = max(power - 0.8359375, 0) / (18.8515625 - 18.6875 * power)
            return 10_000 * pow(light, 16_384 / 2_610.0)
        }
        let scene =
            sample <= 0.5 ? sample * sample / 3 : (exp((sample - 0.55991073) / 0.17883277) + 0.28466892) / 12
        return 1_000 * pow(scene, 1.2)
    }

    @Test("PQ and HLG of BT.2020 are tone-mapped in linear light", arguments: ["9/16/9", "9/18/9"])
    func highDynamicRange(_ nclx: String) throws {
        for color in [[0.55, 0.45, 0.35], [0.3, 0.5, 0.6], [0.7, 0.7, 0.2]] {
            let stored = color.map { ($0 * 255).rounded(.down) / 255 }
            let light = stored.map { sample in
                let white = nits(sample, isPQ: nclx == "9/16/9") / 203
                return white * (1 + white * 0.203 * 0.203) / (1 + white)
            }
            let expected = converted(light, "9")
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
        let stored = [UInt8](try Fixtures.data(named: "Color/gradient.rgba"))
        let converted = [UInt8](try Fixtures.data(named: "Color/gradient.rec2020.rgba"))
        let image = try PixelBuffer(width: 48, height: 32, format: .rgba8Straight) { rows, bytesPerRow in
            for y in 0..<32 { for x in 0..<48 * 4 { rows[y * bytesPerRow + x] = stored[y * 48 * 4 + x] } }
        }
        let profile = Fixtures.url(named: "Color/rec2020.icc").path
        let file = try Tools.encode([image], "-l", "--nclx", nclx, "--icc", profile)
        let pixels = try decode(file)
        for y in 0..<32 {
            for x in 0..<48 {
                let pixel = try #require(pixels.samples(x: x, y: y))
                let start = (y * 48 + x) * 4
                // Colours of transparent pixels may be changed by the encoder.
                guard stored[start + 3] > 0 else { continue }
                for channel in 0..<4 { #expect(abs(pixel[channel] - Int(converted[start + channel])) <= 1) }
            }
        }
    }

    @Test("Linear light and gamma 2.8 become the curve of sRGB", arguments: [(8, 1.0), (5, 2.8)])
    func transfer(_ code: Int, _ gamma: Double) throws {
        let pixel = try decoded([0.5, 0.5, 0.5], "1/\(code)/6")
        let expected = encoded(pow(127.0 / 255, gamma))
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
        let white = encoded((1 + pow(203.0 / 1_000, 2)) / 2)
        let pixel = try decoded([0.5807, 0.5807, 0.5807], "1/16/6")
        #expect(abs(pixel[0] - white) <= 3, "\(pixel) instead of \(white)")
        #expect(try decoded([0.76, 0.76, 0.76], "1/16/6")[0] >= 254)
    }
}

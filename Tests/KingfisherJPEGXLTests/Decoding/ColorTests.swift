import Foundation
import KingfisherCodecSupport
import KingfisherJPEGXL
import KingfisherTestSupport
import Testing

@Suite("JPEG XL: colours", .enabled(if: Tools.arePresent))
struct ColorTests {
    /// Lossless files have the samples of their colour space, lossy ones absolute colours.
    static let losses = ["0", "0.1"]

    private func decoded(_ color: [Double], _ space: String, _ loss: String) throws -> [Int] {
        let file = try Tools.encode(
            Tools.pam(Samples.flat(color)), "pam", ["-d", loss, "-x", "color_space=\(space)"])
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

    @Test(
        "Colours of Display P3 and BT.2020 become sRGB through linear light",
        arguments: ["RGB_D65_DCI_Rel_SRG", "RGB_D65_202_Rel_SRG"], ColorTests.losses)
    func primaries(_ space: String, _ loss: String) throws {
        let color = [0.7, 0.45, 0.3].map { ($0 * 255).rounded(.down) / 255 }
        // The matrices of CSS Color 4, sample code, for D65.
        let matrix =
            space.contains("DCI")
            ? [[1.22494, -0.22494, 0], [-0.04206, 1.04206, 0], [-0.01964, -0.07864, 1.09827]]
            : [
                [1.66049, -0.58764, -0.07285], [-0.12455, 1.13290, -0.00835], [-0.01815, -0.10058, 1.11873],
            ]
        let light = color.map(linear)
        let expected = matrix.map { row in encoded(zip(row, light).reduce(0) { $0 + $1.0 * $1.1 }) }
        let pixel = try decoded(color, space, loss)
        #expect(zip(pixel, expected).allSatisfy { abs($0 - $1) <= 2 }, "\(pixel) instead of \(expected)")
    }

    @Test(
        "Linear light and powers become the curve of sRGB",
        arguments: [("Lin", 1), ("g0.4545455", 2.2), ("g0.5555556", 1.8)], ColorTests.losses)
    func transfer(_ curve: (name: String, gamma: Double), _ loss: String) throws {
        let pixel = try decoded([0.5, 0.5, 0.5], "RGB_D65_SRG_Rel_\(curve.name)", loss)
        let expected = encoded(pow(127.0 / 255, curve.gamma))
        #expect(abs(pixel[0] - expected) <= 2, "\(pixel) instead of \(expected)")
    }

    @Test(
        "PQ at 203 nits becomes the middle of the tone curve, and the peak white",
        arguments: ColorTests.losses)
    func pq(_ loss: String) throws {
        // BT.2100's PQ of 203 nits is 0.5807; of 1,000 nits 0.7518.
        let white = encoded((1 + pow(203.0 / 1_000, 2)) / 2)
        let space = "RGB_D65_202_Rel_PeQ"
        let pixel = try decoded([0.5807, 0.5807, 0.5807], space, loss)
        #expect(abs(pixel[0] - white) <= 4, "\(pixel) instead of \(white)")
        #expect(try decoded([0.76, 0.76, 0.76], space, loss)[0] >= 254)
    }

    @Test("HLG's reference white of 203 nits becomes the middle of the tone curve, also in grey")
    func hlg() throws {
        // BT.2408: HLG of 0.75 is 203 nits on a display of 1,000.
        let white = encoded((1 + pow(203.0 / 1_000, 2)) / 2)
        #expect(abs(try decoded([0.75, 0.75, 0.75], "RGB_D65_202_Rel_HLG", "0")[0] - white) <= 4)
        let gray = try PixelBuffer(width: 16, height: 16, format: .gray8) { rows, _ in
            rows.initializeMemory(as: UInt8.self, repeating: 191)
        }
        let file = try Tools.encode(Tools.pam(gray), "pam", ["-x", "color_space=Gra_D65_Rel_HLG"])
        let pixels = try decode(file)
        #expect(pixels.format == .gray8)
        #expect(abs(try #require(pixels.samples(x: 3, y: 3)?[0]) - white) <= 4)
    }

    @Test("sRGB is not converted", arguments: ColorTests.losses)
    func unchanged(_ loss: String) throws {
        let pixel = try decoded([0.8, 0.4, 0.2], "RGB_D65_SRG_Rel_SRG", loss)
        #expect(zip(pixel, [204, 102, 51]).allSatisfy { abs($0 - $1) <= 1 }, "\(pixel)")
    }

    /// The reference is ImageCms (lcms2), by Tests/Fixtures/generate/color.py.
    @Test("An ICC profile converts as ImageCms does")
    func profile() throws {
        let stored = [UInt8](try Fixtures.data(named: "Color/gradient.rgba"))
        let converted = [UInt8](try Fixtures.data(named: "Color/gradient.rec2020.rgba"))
        let image = try PixelBuffer(width: 48, height: 32, format: .rgba8Straight) { rows, bytesPerRow in
            for y in 0..<32 { for x in 0..<48 * 4 { rows[y * bytesPerRow + x] = stored[y * 48 * 4 + x] } }
        }
        let profile = Fixtures.url(named: "Color/rec2020.icc").path
        let file = try Tools.encode(Tools.pam(image), "pam", ["-x", "icc_pathname=\(profile)"])
        let pixels = try decode(file)
        for y in 0..<32 {
            for x in 0..<48 {
                let pixel = try #require(pixels.samples(x: x, y: y))
                let start = (y * 48 + x) * 4
                #expect((0..<4).allSatisfy { abs(pixel[$0] - Int(converted[start + $0])) <= 1 })
            }
        }
        let length = try Data(contentsOf: URL(fileURLWithPath: profile)).count
        let context = DecodingContext(limits: ImageLimits(maximumMetadataBytes: length / 2))
        context.run { #expect(failure(of: file) == .tooMuchMetadata) }
    }

    @Test("The curve of a grey profile is converted")
    func grayProfile() throws {
        let gray = try Samples.gray(48, 32)
        let profile = Fixtures.url(named: "Color/gray.icc").path
        let file = try Tools.encode(Tools.pam(gray), "pam", ["-x", "icc_pathname=\(profile)"])
        let pixels = try decode(file)
        #expect(pixels.format == .gray8)
        let icc = try Data(contentsOf: URL(fileURLWithPath: profile))
        let transform = icc.withUnsafeBytes {
            ICCTransform.toSRGB(from: ByteReader($0), of: ICCSamples(.gray8))
        }
        let expected = try #require(transform).converted(gray)
        #expect(try #require(try Grid(pixels).distance(to: Grid(expected))) <= 1)
        #expect(try Grid(expected) != Grid(gray))
    }
}

import Foundation
import KingfisherCodecSupport
import KingfisherJPEGXL
import KingfisherTestSupport
import TestHelpers
import Testing

@Suite("JPEG XL: colours", .enabled(if: Tools.arePresent))
struct ColorTests {
    /// Lossless files have the samples of their colour space, lossy ones absolute colours.
    static let losses = ["0", "0.1"]

    private func decoded(_ color: [Double], _ space: String, _ loss: String) throws -> [Int] {
        let file = try Tools.encode(
            Tools.pam(TestImages.flat(color)), "pam", ["-d", loss, "-x", "color_space=\(space)"])
        return try #require(try decode(file).samples(x: 30, y: 30))
    }

    @Test(
        "Colours of Display P3 and BT.2020 become sRGB through linear light",
        arguments: ["RGB_D65_DCI_Rel_SRG", "RGB_D65_202_Rel_SRG"], ColorTests.losses)
    func primaries(_ space: String, _ loss: String) throws {
        let color = [0.7, 0.45, 0.3].map { ($0 * 255).rounded(.down) / 255 }
        let primaries = space.contains("DCI") ? LightReference.displayP3 : LightReference.rec2020
        let expected = LightReference.levels(color.map { LightReference.light($0, 13) }, primaries)
        let pixel = try decoded(color, space, loss)
        #expect(zip(pixel, expected).allSatisfy { abs($0 - $1) <= 2 }, "\(pixel) instead of \(expected)")
    }

    @Test(
        "Linear light and powers become the curve of sRGB",
        arguments: [("Lin", 1), ("g0.4545455", 2.2), ("g0.5555556", 1.8)], ColorTests.losses)
    func transfer(_ curve: (name: String, gamma: Double), _ loss: String) throws {
        let pixel = try decoded([0.5, 0.5, 0.5], "RGB_D65_SRG_Rel_\(curve.name)", loss)
        let expected = LightReference.level(pow(127.0 / 255, curve.gamma))
        #expect(abs(pixel[0] - expected) <= 2, "\(pixel) instead of \(expected)")
    }

    @Test(
        "PQ at 203 nits becomes the middle of the tone curve, and the peak white",
        arguments: ColorTests.losses)
    func pq(_ loss: String) throws {
        // BT.2100's PQ of 203 nits is 0.5807; of 1,000 nits 0.7518.
        let white = LightReference.level((1 + pow(203.0 / 1_000, 2)) / 2)
        let space = "RGB_D65_202_Rel_PeQ"
        let pixel = try decoded([0.5807, 0.5807, 0.5807], space, loss)
        #expect(abs(pixel[0] - white) <= 4, "\(pixel) instead of \(white)")
        #expect(try decoded([0.76, 0.76, 0.76], space, loss)[0] >= 254)
    }

    @Test("HLG's reference white of 203 nits becomes the middle of the tone curve, also in grey")
    func hlg() throws {
        // BT.2408: HLG of 0.75 is 203 nits on a display of 1,000.
        let white = LightReference.level((1 + pow(203.0 / 1_000, 2)) / 2)
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
        let image = try TestImages.colors(named: "gradient")
        let profile = Fixtures.url(named: "Color/rec2020.icc").path
        let file = try Tools.encode(Tools.pam(image), "pam", ["-x", "icc_pathname=\(profile)"])
        let expected = try PixelGrid(TestImages.colors(named: "gradient.rec2020"))
        #expect(try #require(PixelGrid(decode(file)).distance(to: expected)) <= 1)
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
        #expect(try #require(try PixelGrid(pixels).distance(to: PixelGrid(expected))) <= 1)
        #expect(try PixelGrid(expected) != PixelGrid(gray))
    }
}

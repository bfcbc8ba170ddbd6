import Foundation
import KingfisherImage
import KingfisherTestSupport
import Testing
import TestHelpers

/// Behaviour I-8.
@Suite struct DownsamplingTests {
    private func square() throws -> Data {
        try PNGCodec().encode(
            Samples.buffer(64, .gray8, Array(repeating: 90, count: 64 * 64)), options: .init(quality: 1))
    }

    @Test(
        "The longer side is fitted, and nothing is enlarged", .behaviours("I-8"),
        arguments: [
            (CGSize(width: 20, height: 40), 1.0, 40.0), (CGSize(width: 15, height: 15), 2, 15),
            (CGSize(width: 100, height: 100), 1, 64), (.zero, 1, 64), (CGSize(width: 64, height: 64), 1, 64),
            (CGSize(width: 63, height: 1), 1, 63), (CGSize(width: -5, height: -5), 1, 64),
            (CGSize(width: Double.nan, height: Double.nan), 1, 64),
            (CGSize(width: Double.infinity, height: 1), 1, 64),
        ])
    func longerSideIsFitted(size: CGSize, scale: Double, expected: Double) throws {
        let image = try #require(
            KingfisherWrapper<Image>.downsampledImage(data: square(), to: size, scale: scale))
        #expect(image.size == CGSize(width: expected, height: expected))
        #expect(Double(image.scale) == scale)
        #expect(image.pixels?.samples(x: 3, y: 3) == [90])
    }

    @Test func proportionsAndOrientationArePreserved() throws {
        let photo = try Fixtures.data(named: "Photos/coffee.jpg")
        let image = try Image.downsample(photo, to: CGSize(width: 100, height: 100), scale: 1)
        #expect(image.size == CGSize(width: 100, height: 67))
        let turned = try Fixtures.data(named: "JPEG/orientation-6.jpg")
        let upright = try Image.downsample(turned, to: CGSize(width: 17, height: 17), scale: 1)
        #expect(upright.size == CGSize(width: 12, height: 17))
        #expect(upright.imageOrientation == .up)
    }

    /// The same for a decoded image and for its file.
    @Test(arguments: [false, true], [1000.0, 3.0])
    func animationsYieldTheirFirstFrame(preload: Bool, side: Double) throws {
        let data = try Fixtures.data(named: "GIF/delays.gif")
        let animation = try Image.decode(data, options: ImageCreatingOptions(preloadAll: preload))
        #expect(!animation.isStill)
        let size = CGSize(width: side, height: side)
        let file = try Image.downsample(data, to: size, scale: 2)
        let image = animation.kf.downsampled(to: size, scale: 2)
        #expect(image.size == file.size && image.scale == 2)
        #expect(image.isStill && image.images == nil && image.kf.frameSource == nil)
        #expect(image.kf.imageFrameCount == nil && image.kf.fileBytes == file.kf.fileBytes)
        #expect(image.pngData() == file.pngData())
    }

    @Test func corruptFilesFailWithTheReason() throws {
        let size = CGSize(width: 10, height: 10)
        let cut = try Fixtures.data(named: "Photos/coffee.jpg").prefix(9_000)
        #expect(throws: ImageCodecError.truncated) { try Image.downsample(cut, to: size, scale: 1) }
        #expect(KingfisherWrapper<Image>.downsampledImage(data: Data(count: 20), to: size, scale: 1) == nil)
    }

    @Test func thinImagesKeepAtLeastOnePixel() throws {
        let line = try PNGCodec().encode(
            Samples.buffer(300, .gray8, Array(repeating: 7, count: 300)), options: .init(quality: 1))
        let image = try Image.downsample(line, to: CGSize(width: 10, height: 10), scale: 1)
        #expect(image.size == CGSize(width: 10, height: 1))
    }
}

import Foundation
import KingfisherTestSupport
import KingfisherWebP
import Testing

/// Decoding to fewer pixels than the file has.
@Suite struct WebPScaledTests {
    private let codec = WebPCodec()

    @Test(arguments: [
        (1, 1), (7, 3), (20, 20), (33, 5), (63, 1), (1, 63), (63, 63),
    ]) func coversTheMinimumInTheSameProportions(width: Int, height: Int) throws {
        for name in ["badge", "badge-lossless", "photo-q75", "orientation-6"] {
            let data = try Fixtures.data(named: "WebP/\(name).webp")
            let full = try codec.header(of: data).displaySize
            let minimum = PixelSize(width: width, height: height)
            let size = try codec.decode(data, minimumSize: minimum).size
            #expect(size.width >= min(width, full.width) && size.height >= min(height, full.height))
            #expect(size.width <= full.width && size.height <= full.height)
            // One side may be rounded up by less than a pixel.
            let (across, down) = (size.width * full.height, size.height * full.width)
            #expect(abs(across - down) < max(full.width, full.height), "\(name): \(size) of \(full)")
            // And nothing is decoded that was not asked for.
            #expect(size == full || size.width == width || size.height == height, "\(name): \(size)")
        }
    }

    @Test(arguments: ["photo-q75", "badge", "badge-lossless", "lossless-camera"])
    func showsTheSamePicture(name: String) throws {
        let data = try Fixtures.data(named: "WebP/\(name).webp")
        let full = try codec.decode(data, minimumSize: nil)
        let half = PixelSize(width: (full.width + 1) / 2, height: (full.height + 1) / 2)
        let small = try codec.decode(data, minimumSize: half)
        #expect(small.format == full.format)
        #expect(small.width < full.width)
        let reference = try full.premultiplied().resized(to: small.size)
        let ours = WebPSamples.bytes(try small.premultiplied())
        #expect(WebPSamples.difference(ours, WebPSamples.bytes(reference)).mean < 6)
    }

    @Test func aMinimumThatIsNoSmallerGivesAllPixels() throws {
        let data = try Fixtures.data(named: "WebP/badge.webp")
        let full = WebPSamples.bytes(try codec.decode(data, minimumSize: nil))
        for minimum in [(64, 64), (1000, 1000), (64, 1), (1, 65)] {
            let size = PixelSize(width: minimum.0, height: minimum.1)
            #expect(WebPSamples.bytes(try codec.decode(data, minimumSize: size)) == full)
        }
    }

    @Test func coloursAreConvertedAfterShrinking() throws {
        let data = try Fixtures.data(named: "WebP/icc-adobe.webp")
        let full = try codec.decode(data, minimumSize: nil)
        let small = try codec.decode(data, minimumSize: PixelSize(width: full.width / 2, height: 1))
        let reference = try full.resized(to: small.size)
        #expect(
            WebPSamples.difference(WebPSamples.bytes(small), WebPSamples.bytes(reference)).mean < 6)
    }
}

import Foundation
import KingfisherTestSupport
import KingfisherWebP
import TestHelpers
import Testing

/// Decoding to fewer pixels preserves the proportions, never falls below the minimum, and shows the same
/// image.
@Suite struct ScaledDecodeTests {
    let codec: any ImageCodec = WebPCodec()

    static let minimums = [(1, 1), (7, 3), (3, 7), (16, 12), (30, 30), (95, 71), (96, 72), (500, 500)].map {
        PixelSize(width: $0.0, height: $0.1)
    }

    @Test(arguments: ReferenceSet.stills) func preservesTheProportionsAndTheMinimum(name: String) throws {
        let data = try Fixtures.data(named: name)
        let full = try codec.header(of: data).displaySize
        for minimum in Self.minimums {
            let size = try codec.decode(data, minimumSize: minimum).size
            #expect(size.width <= full.width && size.height <= full.height)
            #expect(size.width >= min(minimum.width, full.width))
            #expect(size.height >= min(minimum.height, full.height))
            // Each side is within a pixel of the one that the other side implies.
            let skew = abs(size.width * full.height - size.height * full.width)
            #expect(skew < max(full.width, full.height), "\(size) of \(full)")
            // The result is no larger than necessary.
            #expect(size == full || size.width == minimum.width || size.height == minimum.height)
        }
    }

    @Test func aMinimumOfAtLeastTheImageSizeGivesAllPixels() throws {
        let data = try Fixtures.data(named: "WebP/badge.webp")
        let full = Raster(try codec.decode(data, minimumSize: nil))
        for minimum in [(64, 64), (1000, 1000), (64, 1), (1, 65)] {
            let size = PixelSize(width: minimum.0, height: minimum.1)
            #expect(Raster(try codec.decode(data, minimumSize: size)) == full)
        }
    }

    @Test(arguments: [
        "photo-q75", "lossy-sharp-yuv", "lossless-chelsea", "lossy-partitions8", "badge", "badge-lossless",
        "alpha-best-q100", "lossless-ramps-z6", "orientation-6", "orientation-6-alpha", "icc-adobe",
    ])
    func looksLikeTheAveragedWholeImage(name: String) throws {
        let data = try Fixtures.data(named: "WebP/\(name).webp")
        let pixels = try codec.decode(data, minimumSize: nil)
        let full = pixels.format.alpha == .premultiplied ? nil : Raster(pixels)
        for minimum in [PixelSize(width: 5, height: 5), PixelSize(width: 12, height: 11)] {
            let scaled = try codec.decode(data, minimumSize: minimum)
            let expected = try #require(full).averaged(to: scaled.size)
            let ours = Raster(scaled)
            let difference = (scaled.format.alpha == .straight ? ours.premultiplied : ours).difference(
                from: expected)
            #expect(difference.mean <= 3, "\(scaled.size)")
            #expect(difference.largest <= 48, "\(scaled.size)")
        }
    }
}

import Foundation
import KingfisherTestSupport
import Testing

@testable import Kingfisher

/// A 16-bit PNG preserves its depth through decoding, geometric processors and both caches.
@Suite struct SixteenBitTests {
    private let options = KingfisherParsedOptionsInfo(nil)

    private func file(_ name: String) throws -> Data { try Fixtures.data(named: "Drawing/\(name).png") }

    private func samples(_ pixels: PixelBuffer) -> [Int] {
        (0..<pixels.height).flatMap { y in
            (0..<pixels.width).flatMap { x in pixels.samples(x: x, y: y) ?? [] }
        }
    }

    private func reference(_ name: String) throws -> [Int] {
        let bytes = try Fixtures.data(named: "Drawing/\(name)").map(Int.init)
        return stride(from: 0, to: bytes.count, by: 2).map { bytes[$0] | bytes[$0 + 1] << 8 }
    }

    /// Reference: Pillow's Lanczos in floating point; within 2 of 65,535.
    @Test(
        "Resizing a 16-bit image gives the 16-bit Lanczos result",
        arguments: [
            ("source-16", "resize-16-37x29.rgba16"), ("source-gray16", "resize-gray16-37x29.gray16"),
        ])
    func resizing(name: String, expected: String) throws {
        let processor = ResizingImageProcessor(referenceSize: CGSize(width: 37, height: 29))
        let image = try #require(processor.process(item: .data(file(name)), options: options))
        let pixels = try #require(image.pixels)
        #expect(pixels.bitsPerComponent == 16)
        let (ours, theirs) = (samples(pixels), try reference(expected))
        #expect(ours.count == theirs.count)
        #expect(zip(ours, theirs).allSatisfy { abs($0 - $1) <= 2 })
    }

    @Test("Geometric processors preserve the depth", arguments: ["source-16", "source-gray16"])
    func preservedDepth(name: String) throws {
        let processors: [any ImageProcessor] = [
            DefaultImageProcessor.default,
            DownsamplingImageProcessor(size: CGSize(width: 20, height: 20)),
            ResizingImageProcessor(referenceSize: CGSize(width: 80, height: 80), mode: .aspectFit),
            CroppingImageProcessor(size: CGSize(width: 11, height: 7)),
            DownsamplingImageProcessor(size: CGSize(width: 30, height: 30))
                |> CroppingImageProcessor(size: CGSize(width: 9, height: 9)),
        ]
        for processor in processors {
            let image = try #require(processor.process(item: .data(file(name)), options: options))
            let pixels = try #require(image.pixels)
            #expect(pixels.bitsPerComponent == 16, "\(processor.identifier)")
            // Samples that are not 8-bit values widened to 16 bits.
            #expect(samples(pixels).contains { $0 % 257 != 0 }, "\(processor.identifier)")
            let scaled = image.kf.scaled(to: 2)
            #expect(scaled.pixels === pixels)
        }
    }

    @Test("The disk cache stores all 16 bits", arguments: ["source-16", "source-gray16"])
    func diskCache(name: String) throws {
        let data = try file(name)
        let processor = DownsamplingImageProcessor(size: CGSize(width: 30, height: 30))
        let image = try #require(processor.process(item: .data(data), options: options))
        let before = try #require(image.pixels)
        let serializers: [any CacheSerializer] = [
            DefaultCacheSerializer.default, FormatIndicatedCacheSerializer.png,
        ]
        for serializer in serializers {
            let bytes = try #require(serializer.data(with: image, original: data))
            // The bit depth in IHDR.
            #expect(bytes.kf.imageFormat == .PNG && bytes[bytes.startIndex + 24] == 16)
            let after = try #require(serializer.image(with: bytes, options: options)?.pixels)
            #expect(after.bitsPerComponent == 16)
            let straight = PixelFormat(
                layout: before.format.layout, depth: .sixteen,
                alpha: after.format.isOpaque ? .opaque : .straight)
            #expect(try samples(after) == samples(before.converted(to: straight)))
        }
    }
}

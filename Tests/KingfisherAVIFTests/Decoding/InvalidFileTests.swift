import Foundation
import KingfisherAVIF
import KingfisherCodecSupport
import KingfisherTestSupport
import TestHelpers
import Testing

@Suite("AVIF: invalid files", .enabled(if: Tools.arePresent))
struct InvalidFileTests {
    @Test("A file that ends early is truncated, at every length")
    func truncated() throws {
        let file = try Tools.encode([TestImages.gradients()], "--min", "50", "--max", "50")
        for length in 12..<file.count {
            #expect(failure(of: file.prefix(length)) == .truncated, "\(length) bytes")
        }
        for length in 0..<12 { #expect(failure(of: file.prefix(length)) != nil) }
    }

    @Test("A sequence that ends early fails at every length")
    func truncatedSequence() throws {
        let file = try Tools.encode(SequenceTests.frames(2), "--min", "50", "--max", "50")
        for length in stride(from: 0, to: file.count, by: 3) {
            #expect((try? AVIFCodec().header(of: file.prefix(length))) == nil || length > 400)
            _ = try? AVIFCodec().frameSource(for: file.prefix(length))
        }
    }

    @Test("10,000 corrupt files fail or give an image of the declared size")
    func mutations() throws {
        let still = try Tools.encode(
            [TestImages.gradients(32, 32, alpha: true)], "--min", "50", "--max", "50", "--irot", "1")
        let sequence = try Tools.encode(
            [TestImages.gradients(32, 32), TestImages.gradients(32, 32, phase: 1)], "--min", "50", "--max",
            "50")
        AVIFCodec().checkCorrupt([still, sequence], count: 10_000, seed: 24) { file, number in
            if number % 8 == 1, let source = try? AVIFCodec().frameSource(for: file) {
                _ = source.frame(at: source.frameCount - 1, maxSize: nil)
            }
        }
    }

    @Test("Planes smaller than declared are enlarged by libavif, so a crop is inside of them")
    func declaredSize() throws {
        let file = try Tools.encode([TestImages.smooth(256, 192)], "-y", "420", "--crop", "128,96,128,96")
        // 512x384, whose crop begins at 256,192.
        let larger = try file.replacing("ispe", at: 4, with: [0, 0, 2, 0, 0, 0, 1, 0x80])
        #expect(try AVIFCodec().header(of: larger).size == PixelSize(width: 128, height: 96))
        for target in [PixelSize(width: 16, height: 12), PixelSize(width: 128, height: 96)] {
            let pixels = try AVIFCodec().decode(larger, shrunkTo: target)
            #expect(pixels.size == target)
        }
    }

    @Test("Declared sizes above the limit are refused before decoding")
    func sizes() throws {
        let file = try Tools.encode([TestImages.gradients()], "-y", "444")
        try AVIFCodec().checkDeclaredSizes(of: file, PixelSize(width: 64, height: 48))
    }

    @Test("A bitstream larger than the declared size is not decoded")
    func lyingSize() throws {
        let file = try Tools.encode([TestImages.gradients()], "-y", "444")
        let lying = try file.replacing("ispe", at: 4, with: [0, 0, 0, 16, 0, 0, 0, 16])
        #expect(failure(of: lying) != nil)
        #expect(failure(of: Data()) != nil)
        #expect(failure(of: Data("0000ftypavif0000avif".utf8)) != nil)
    }

    @Test("A profile above the limit for metadata is refused")
    func metadata() throws {
        let profile = Fixtures.url(named: "Color/rec2020.icc")
        let file = try Tools.encode([TestImages.gradients()], "--icc", profile.path)
        let length = try Data(contentsOf: profile).count
        for (limit, error) in [(length - 1, ImageCodecError.tooMuchMetadata), (length, nil)] {
            let context = DecodingContext(limits: ImageLimits(maximumMetadataBytes: limit))
            context.run { #expect(failure(of: file) == error) }
        }
    }
}

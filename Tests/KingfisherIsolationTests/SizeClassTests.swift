import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherImage
@testable import KingfisherIsolation

/// Each format in each size class. The decoder and this process use the library's own loops for JPEG, as
/// release builds do and debug builds do not.
@Suite("Isolation: size classes")
struct SizeClassTests {
    private static let pool = DecoderPool.of(Programs.hostile) { $0.wallTimeLimit = .seconds(300) }
    private static let context = DecodingContext(
        codecs: CodecRegistry(Sandbox.codecs), limits: ImageLimits(), usesIdleCores: false)
    /// For `SizeClassFiles.veryLarge`, the scales of JPEG and tall boxes; others use those that are smaller.
    private static let targets = [
        PixelSize(width: 40, height: 30), PixelSize(width: 150, height: 100),
        PixelSize(width: 340, height: 250), PixelSize(width: 690, height: 520),
        PixelSize(width: 60, height: 700),
    ]

    @Test(
        "A file of each format and size class is read in a process as here",
        arguments: Sandbox.codecs.indices)
    func files(index: Int) throws {
        let codec = Sandbox.codecs[index]
        try JPEGBaselineDecoder.$isOptimized.withValue(true) {
            try Self.context.run {
                let files = try SizeClassFiles.of(codec)
                #expect(!files.isEmpty, "\(codec.format) has no file")
                var animations = 0
                for file in files {
                    let comparison = Comparison(
                        "\(codec.format) \(file.name)", file.data, codec, pool: Self.pool)
                    if comparison.run(Self.targets) > 1 { animations += 1 }
                    if codec.capabilities.contains(.writesMetadata) {
                        comparison.replaceMetadata(by: SizeClassFiles.blocks)
                    }
                }
                #expect(animations > 0 || !codec.capabilities.contains(.decodesAnimations), "\(codec.format)")
            }
        }
        #expect(Self.pool.processIdentifiers.count <= 2)
    }

    @Test("A baseline JPEG of a mebibyte is decoded row by row in a process")
    func largeBaseline() throws {
        let file = try SizeClassFiles.baseline()
        #expect(file.count >= 1 << 20)
        let isUsed = try JPEGBaselineDecoder.$isOptimized.withValue(true) {
            try file.reading { reader throws(ImageCodecError) in
                let frame = try JPEGFrameHeader(scanning: reader)
                return [1, 2, 4, 8].allSatisfy { eighths in
                    JPEGBaselineDecoder(reader, frame: frame, scale: JPEGScale(eighths: eighths))?.isFaster
                        ?? false
                }
            }
        }
        #expect(isUsed)
        let isolation = DecodingContext(strategy: DecoderIsolation(policy: .all, pool: Self.pool))
        for side in [100, 300, 900, 4_000] {
            let size = CGSize(width: side, height: side)
            let here = try JPEGBaselineDecoder.$isOptimized.withValue(true) {
                try Image.downsample(file, to: size, scale: 1)
            }
            // The context of the program allows a second thread; that of the decoder does not.
            let there = try isolation.run { try Image.downsample(file, to: size, scale: 1) }
            #expect(same(here.pixels, there.pixels))
        }
    }
}

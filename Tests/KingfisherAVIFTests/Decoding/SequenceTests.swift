import Foundation
import KingfisherAVIF
import KingfisherCodecSupport
import TestHelpers
import Testing

@Suite("AVIF: sequences", .enabled(if: Tools.arePresent))
struct SequenceTests {
    static func frames(_ count: Int = 4, alpha: Bool = false) throws -> [PixelBuffer] {
        try (0..<count).map { try TestImages.gradients(alpha: alpha, phase: $0) }
    }

    @Test("Frames and their delays equal the file's, in any order")
    func framesInAnyOrder() throws {
        let file = try Tools.encode(Self.frames(), "-y", "444", "--timescale", "1000", "--duration", "70")
        let header = try AVIFCodec().header(of: file)
        #expect(header.timing == AnimationTiming(durations: [0.07, 0.07, 0.07, 0.07], loopCount: 0))
        let source = try #require(try AVIFCodec().frameSource(for: file))
        #expect(source.frameCount == 4)
        for number in [0, 3, 1, 1, 2, 0] {
            let frame = try #require(source.frame(at: number, maxSize: nil))
            let expected = try PixelGrid(Tools.decode(file, frame: number))
            #expect(try #require(try PixelGrid(frame).distance(to: expected)) <= 1)
        }
        #expect(source.frame(at: 4, maxSize: nil) == nil)
        #expect(source.duration(at: 4) == 0)
        #expect(source.copy().frame(at: 2, maxSize: CGSize(width: 32, height: 32))?.width == 32)
    }

    @Test("A sequence with alpha keeps it")
    func alpha() throws {
        let file = try Tools.encode(Self.frames(2, alpha: true), "--min", "0", "--max", "0")
        let source = try #require(try AVIFCodec().frameSource(for: file))
        let frame = try #require(source.frame(at: 1, maxSize: nil))
        #expect(frame.format == .rgba8Straight)
        #expect(frame.samples(x: 0, y: 0)?.last == 0)
    }

    @Test("A still has no frames")
    func still() throws {
        #expect(try AVIFCodec().frameSource(for: Tools.encode([TestImages.gradients()])) == nil)
    }

    @Test("More frames than the limit are refused")
    func limits() throws {
        let file = try Tools.encode(Self.frames(), "-y", "444")
        let few = DecodingContext(limits: ImageLimits(maximumFrames: 3))
        #expect(throws: ImageCodecError.tooManyFrames) { try few.run { try AVIFCodec().header(of: file) } }
        let small = DecodingContext(limits: ImageLimits(maximumAnimationPixels: 64 * 48 * 3))
        #expect(throws: ImageCodecError.tooManyAnimationPixels) {
            try small.run { try AVIFCodec().frameSource(for: file) }
        }
    }
}

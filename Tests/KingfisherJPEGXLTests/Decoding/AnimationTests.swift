import Foundation
import KingfisherCodecSupport
import KingfisherJPEGXL
import KingfisherTestSupport
import TestHelpers
import Testing

@Suite("JPEG XL: animations", .enabled(if: Tools.arePresent))
struct AnimationTests {
    /// Files whose frames replace, keep or clear parts of the canvas.
    static let names =
        Fixtures.names(in: "GIF", withExtension: "gif") + Fixtures.names(in: "APNG", withExtension: "apng")

    @Test("Frames and delays equal those of djxl, in any order", arguments: AnimationTests.names)
    func frames(_ name: String) throws {
        let suffix = name.hasSuffix("gif") ? "gif" : "apng"
        // cjxl rejects some files.
        guard let file = try? Tools.encode(Fixtures.data(named: name), suffix) else { return }
        let source = try JPEGXLCodec().frameSource(for: file)
        guard let expected = try Tools.frames(file) else {
            #expect(source == nil)
            return
        }
        let frames = try #require(source)
        try #require(frames.frameCount == expected.frameCount)
        for index in Array(0..<frames.frameCount) + [0, frames.frameCount - 1] {
            let frame = try #require(frames.frame(at: index, maxSize: nil))
            let other = try #require(expected.frame(at: index, maxSize: nil))
            #expect(try PixelGrid(frame).shows(PixelGrid(other)), "frame \(index)")
            // A PNG's delay of at most 11 ms is shown as 100 ms, as in browsers.
            let delay = frames.duration(at: index)
            #expect(abs((delay < 0.012 ? 0.1 : delay) - expected.duration(at: index)) < 0.001)
        }
    }

    @Test("Most fixtures are compared, and frames equal those of the GIF where cjxl keeps them")
    func original() throws {
        let codec = try #require(CodecRegistry.builtIn.codec(for: .GIF))
        for name in ["GIF/disposal-1.gif", "GIF/disposal-3.gif"] {
            let data = try Fixtures.data(named: name)
            let gif = try #require(try codec.frameSource(for: data))
            let file = try Tools.encode(data, "gif")
            let source = try #require(try JPEGXLCodec().frameSource(for: file))
            try #require(source.frameCount == gif.frameCount)
            for index in 0..<gif.frameCount {
                let frame = try #require(source.frame(at: index, maxSize: nil))
                let expected = try #require(gif.frame(at: index, maxSize: nil))
                #expect(try PixelGrid(frame).shows(PixelGrid(expected)), "\(name), frame \(index)")
            }
        }
        let count = Self.names.count { name in
            let suffix = name.hasSuffix("gif") ? "gif" : "apng"
            let file = try? Tools.encode(Fixtures.data(named: name), suffix)
            return file.map { (try? Tools.frames($0)) != nil } == true
        }
        // Fewer with libjxl 0.11 (8); the reason is not known.
        #expect(count > (JPEGXLCodec().version.hasPrefix("libjxl 0.7.") ? 15 : 7))
    }

    @Test("A written GIF keeps exact delays and loops", arguments: [0, 1, 3])
    func timing(_ loops: Int) throws {
        let durations = [0.04, 0.1, 0.25, 1]
        let frames = try (0..<4).map { try TestImages.flat([Double($0) / 4, 0, 1], 32) }
        let listed = ListedFrames(frames: frames, durations: durations, loopCount: loops)
        let codec = try #require(CodecRegistry.builtIn.codec(for: .GIF))
        let gif = try #require(try codec.encode(listed, options: ImageEncodingOptions()))
        let file = try Tools.encode(gif, "gif")
        let timing = try #require(try JPEGXLCodec().header(of: file).timing)
        #expect(timing.durations == durations)
        let source = try #require(try JPEGXLCodec().frameSource(for: file))
        #expect(source.loopCount == timing.loopCount)
        #expect(source.frame(at: 4, maxSize: nil) == nil && source.duration(at: 4) == 0)
        #expect(source.copy().frame(at: 2, maxSize: CGSize(width: 16, height: 16))?.width == 16)
    }

    @Test("A still has no frames")
    func still() throws {
        #expect(try JPEGXLCodec().frameSource(for: Tools.encode(TestImages.gradients())) == nil)
    }

    @Test("More frames than the limit are refused")
    func limits() throws {
        let frames = try (0..<4).map { try TestImages.flat([Double($0) / 4, 0, 1], 32) }
        let listed = ListedFrames(frames: frames, durations: [0.1, 0.1, 0.1, 0.1], loopCount: 0)
        let codec = try #require(CodecRegistry.builtIn.codec(for: .GIF))
        let gif = try #require(try codec.encode(listed, options: ImageEncodingOptions()))
        let file = try Tools.encode(gif, "gif")
        let few = DecodingContext(limits: ImageLimits(maximumFrames: 3))
        #expect(throws: ImageCodecError.tooManyFrames) { try few.run { try JPEGXLCodec().header(of: file) } }
        let small = DecodingContext(limits: ImageLimits(maximumAnimationPixels: 32 * 32 * 3))
        #expect(throws: ImageCodecError.tooManyAnimationPixels) {
            try small.run { try JPEGXLCodec().frameSource(for: file) }
        }
    }
}

extension PixelGrid {
    /// Whether both look the same; the colours of transparent pixels do not count.
    fileprivate func shows(_ other: PixelGrid) -> Bool {
        guard samples.count == other.samples.count else { return false }
        return stride(from: 0, to: samples.count, by: 4).allSatisfy { start in
            let (own, others) = (samples[start..<start + 4], other.samples[start..<start + 4])
            return own == others || own.last == 0 && others.last == 0
        }
    }
}

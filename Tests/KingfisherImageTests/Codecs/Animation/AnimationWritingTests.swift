import Foundation
import KingfisherTestSupport
import Synchronization
import TestHelpers
import Testing

@testable import KingfisherImage

/// Rules for every encoder of animations.
@Suite struct AnimationWritingTests {
    /// Frames of one pixel that record which copies were made and what was requested from them.
    private final class Frames: PlayableFrameSource {
        struct Log {
            var (asked, copies, copiesForPlaying) = (0, 0, 0)
        }

        let data: Data? = nil
        let frameCount: Int
        let loopCount: Int
        private let broken: Set<Int>
        private let mutex = Mutex(Log())

        init(_ count: Int, loopCount: Int = 0, broken: Set<Int> = []) {
            (frameCount, self.loopCount, self.broken) = (count, loopCount, broken)
        }

        var log: Log { mutex.withLock { $0 } }

        func frame(at index: Int, maxSize: CGSize?) -> PixelBuffer? {
            mutex.withLock { $0.asked += 1 }
            if broken.contains(index) { return nil }
            return try? Samples.buffer(1, .rgba8Opaque, [index % 256, 1, 2, 255])
        }

        func duration(at index: Int) -> TimeInterval { 0.5 }

        func copy() -> Frames {
            mutex.withLock { $0.copies += 1 }
            return Frames(frameCount, loopCount: loopCount, broken: broken)
        }

        func copyForPlaying() -> Frames {
            mutex.withLock { $0.copiesForPlaying += 1 }
            return Frames(frameCount, loopCount: loopCount, broken: broken)
        }
    }

    static let codecs: [any ImageCodec] = [GIFCodec(), APNGCodec()]

    private func encode(_ frames: any ImageFrameSource, _ codec: any ImageCodec) throws -> Data? {
        try codec.encode(frames, options: ImageEncodingOptions())
    }

    @Test(arguments: codecs) func encodingUsesOnlyACopyForPlaying(codec: any ImageCodec) throws {
        let frames = Frames(3)
        #expect(try encode(frames, codec) != nil)
        #expect(frames.log.asked == 0 && frames.log.copies == 0)
        #expect(frames.log.copiesForPlaying == 1, "the copy for playing stores no checkpoints")
        let steady = Frames(3)
        #expect(try encode(SteadyFrames(steady), codec) != nil)
        #expect(steady.log.asked == 0 && steady.log.copies == 0 && steady.log.copiesForPlaying == 1)
    }

    @Test(arguments: codecs) func theNumberOfFramesIsLimitedAsInDecoding(codec: any ImageCodec) throws {
        #expect(throws: ImageCodecError.emptyImage) { try encode(Frames(0), codec) }
        #expect(throws: ImageCodecError.tooManyFrames) {
            try encode(Frames(ImageLimits.maximumFrames + 1), codec)
        }
        let most = try #require(try encode(Frames(ImageLimits.maximumFrames), codec))
        #expect(try codec.header(of: most).timing?.durations.count == ImageLimits.maximumFrames)
    }

    @Test(arguments: codecs) func aSingleFrameIsEncodedAsAStill(codec: any ImageCodec) throws {
        let still = try codec.encode(
            Samples.buffer(1, .rgba8Opaque, [0, 1, 2, 255]), options: ImageEncodingOptions())
        #expect(try encode(Frames(1), codec) == still)
    }

    @Test(arguments: codecs) func theErrorNamesACorruptFrame(codec: any ImageCodec) {
        for (broken, number) in [([1, 3], 1), ([0], 0), ([4], 4)] as [(Set<Int>, Int)] {
            #expect(throws: ImageCodecError.corrupt("frame \(number) cannot be decoded")) {
                try encode(Frames(5, broken: broken), codec)
            }
        }
        #expect(throws: ImageCodecError.corrupt("frame 0 cannot be decoded")) {
            try encode(Frames(1, broken: [0]), codec)
        }
    }

    @Test(arguments: codecs) func anyLoopCountIsWritten(codec: any ImageCodec) throws {
        for count in [Int.min, -1, 0] {
            let data = try #require(try encode(Frames(2, loopCount: count), codec))
            #expect(try codec.header(of: data).timing?.loopCount == 0)
        }
        let most = try #require(try encode(Frames(2, loopCount: .max), codec))
        #expect(try codec.header(of: most).timing?.loopCount ?? 0 > 65_534)
    }
}

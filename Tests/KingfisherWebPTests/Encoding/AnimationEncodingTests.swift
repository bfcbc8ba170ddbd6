import Foundation
import KingfisherTestSupport
import KingfisherWebP
import Synchronization
import TestHelpers
import Testing

@Suite struct AnimationEncodingTests {
    private let codec = WebPCodec()
    private let lossless = ImageEncodingOptions(isLossless: true)

    private func encode(
        _ frames: any ImageFrameSource, _ options: ImageEncodingOptions = .init(isLossless: true)
    ) throws -> Libwebp.Animation {
        try Libwebp.animation(#require(try codec.encode(frames, options: options)))
    }

    /// A square at `place` over gradients.
    private static func square(at place: (x: Int, y: Int), _ rgba: [UInt8], clear: Bool = false) -> [UInt8] {
        var samples = Samples.slope(40, 30) { _, _ in clear ? 0 : 255 }
        for y in place.y..<place.y + 7 {
            for x in place.x..<place.x + 7 {
                samples.replaceSubrange((y * 40 + x) * 4..<(y * 40 + x) * 4 + 4, with: rgba)
            }
        }
        return samples
    }

    @Test(
        arguments: [
            ("opaque", false, [255, 0, 0, 255]), ("half clear", false, [0, 90, 0, 100]),
            ("on nothing", true, [0, 0, 255, 255]),
            ("half clear on nothing", true, [50, 60, 70, 80]),
        ] as [(String, Bool, [UInt8])])
    func everyFrameIsEncodedExactly(name: String, clear: Bool, rgba: [UInt8]) throws {
        let frames = [(0, 0), (5, 3), (5, 3), (33, 23), (11, 1), (12, 1)].map {
            Self.square(at: $0, rgba, clear: clear)
        }
        let written = try encode(TestFrames(frames, width: 40))
        #expect(written.frames.count == frames.count && written.width == 40)
        for (index, (frame, expected)) in zip(written.frames, frames).enumerated() {
            #expect(frame == expected, "frame \(index)")
        }
        #expect(written.areLossless.allSatisfy { $0 })
    }

    @Test func onlyTheChangedAreaIsStored() throws {
        let frames = [(0, 0), (5, 3), (5, 3)].map { Self.square(at: $0, [255, 0, 0, 255]) }
        let written = try encode(TestFrames(frames, width: 40))
        // The area covers both squares; a frame that repeats its image is stored as one pixel.
        #expect(
            written.parts == [
                PixelSize(width: 40, height: 30), PixelSize(width: 12, height: 10),
                PixelSize(width: 1, height: 1),
            ])
        // WebP only has even offsets, so the area starts one pixel earlier.
        let odd = [Self.square(at: (11, 7), [1, 1, 1, 255]), Self.square(at: (11, 7), [2, 2, 2, 255])]
        #expect(try encode(TestFrames(odd, width: 40)).parts[1] == PixelSize(width: 8, height: 8))
    }

    @Test func scatteredChangesAreBlendedOverThePreviousFrame() throws {
        let ground = Samples.noise(64 * 64 * 4).enumerated().map { $0 % 4 == 3 ? 255 : $1 }
        var dots = ground
        for place in [0, 64 * 64 - 1, 999, 2222] {
            dots.replaceSubrange(place * 4..<place * 4 + 4, with: [1, 2, 3, 255])
        }
        let written = try encode(TestFrames([ground, dots, ground], width: 64))
        #expect(written.areBlended == [false, true, true])
        #expect(written.frames == [ground, dots, ground])
        let file = try #require(try codec.encode(TestFrames([ground, dots], width: 64), options: lossless))
        let first = try codec.encode(PixelBuffer.make(ground, width: 64), options: lossless)
        #expect(file.count < first.count + 400)
    }

    @Test func lossyFramesOmitUnchangedBlocks() throws {
        let ground = Samples.noise(64 * 64 * 4).enumerated().map { $0 % 4 == 3 ? 255 : $1 / 4 + 90 }
        var dots = ground
        for place in [0, 64 * 64 - 1] {
            dots.replaceSubrange(place * 4..<place * 4 + 4, with: [1, 2, 3, 255])
        }
        let options = ImageEncodingOptions(quality: 0.95)
        let written = try encode(TestFrames([ground, dots], width: 64), options)
        #expect(written.areBlended == [false, true] && written.parts[1] == PixelSize(width: 64, height: 64))
        for (frame, expected) in zip(written.frames, [ground, dots]) {
            #expect(Samples.distance(frame, expected) < 9)
        }
        // Unchanged areas equal the first frame exactly.
        let row = 20 * 64 * 4..<21 * 64 * 4
        #expect(written.frames[0][row] == written.frames[1][row])
        let file = try #require(try codec.encode(TestFrames([ground, dots], width: 64), options: options))
        let first = try codec.encode(PixelBuffer.make(ground, width: 64), options: options)
        #expect(file.count < first.count + 500)
    }

    @Test func lossyFramesAreClose() throws {
        let frames = [(0, 0), (5, 3), (20, 20)].map { Self.square(at: $0, [200, 30, 30, 255]) }
        let written = try encode(TestFrames(frames, width: 40), ImageEncodingOptions(quality: 0.9))
        #expect(written.areLossless.allSatisfy { !$0 })
        for (frame, expected) in zip(written.frames, frames) {
            #expect(Samples.distance(frame, expected) < 3)
        }
        let worse = try encode(TestFrames(frames, width: 40), ImageEncodingOptions(quality: 0.1))
        #expect(Samples.distance(worse.frames[2], frames[2]) > Samples.distance(written.frames[2], frames[2]))
    }

    // MARK: Timing

    private func delays(_ durations: [TimeInterval]) throws -> [Int] {
        let one = try PixelBuffer.make(Samples.colors[0], width: 24)
        return try encode(TestFrames(durations) { _ in one }).delays
    }

    @Test func delaysAreMilliseconds() throws {
        #expect(try delays([0.01, 0.1, 0.033, 1.5, 0.001, 0]) == [10, 100, 33, 1500, 1, 0])
        #expect(try delays([-1, .nan, .infinity, 99_999, 0.1]) == [0, 0, 16_777_215, 16_777_215, 100])
    }

    @Test func roundingErrorsDoNotAccumulate() throws {
        let thirds = try delays(Array(repeating: 1.0 / 30, count: 90))
        #expect(thirds.reduce(0, +) == 3000 && Set(thirds) == [33, 34])
        #expect(try delays(Array(repeating: 0.0004, count: 10)).reduce(0, +) == 4)
        // The rounding is as exact after an hour as at the start.
        #expect(try delays([3600] + Array(repeating: 0.041, count: 50)).dropFirst().allSatisfy { $0 == 41 })
    }

    @Test(arguments: [(0, 0), (1, 1), (7, 7), (65_535, 65_535), (70_000, 65_535), (-3, 0)])
    func loopCountsAreClampedToTheFormat(count: Int, expected: Int) throws {
        let red = try PixelBuffer.make(Samples.colors[0], width: 24)
        let frames = TestFrames([0.1, 0.1], loopCount: count) { _ in red }
        #expect(try encode(frames).loopCount == expected)
    }

    @Test func animationsOfAnotherFormatAreEncodedExactly() throws {
        let gif = try Fixtures.data(named: "Photos/cat.gif")
        let image = try #require(KingfisherWrapper<Image>.image(data: gif, options: ImageCreatingOptions()))
        let source = try #require(image.kf.frameSource)
        let written = try Libwebp.animation(try #require(image.kf.webPRepresentation(isLossless: true)))
        #expect(written.frames.count == source.frameCount && written.loopCount == source.loopCount)
        for index in 0..<source.frameCount {
            #expect(Double(written.delays[index]) / 1000 == source.duration(at: index))
            #expect(try written.frames[index] == source.frame(at: index)?.straightSamples, "frame \(index)")
        }
    }

    // MARK: Frames that cannot be encoded

    @Test func invalidFramesAreErrors() throws {
        let red = try PixelBuffer.make(Samples.colors[0], width: 24)
        let small = try PixelBuffer.make(Samples.colors[0], width: 12)
        #expect(throws: ImageCodecError.emptyImage) {
            try codec.encode(TestFrames([]) { _ in red }, options: lossless)
        }
        #expect(throws: ImageCodecError.corrupt("frame 2 cannot be decoded")) {
            try codec.encode(TestFrames([1, 1, 1]) { $0 < 2 ? red : nil }, options: lossless)
        }
        #expect(throws: ImageCodecError.unsupported("frames of different sizes")) {
            try codec.encode(TestFrames([1, 1]) { $0 == 0 ? red : small }, options: lossless)
        }
        #expect(throws: ImageCodecError.tooManyFrames) {
            try codec.encode(TestFrames(Array(repeating: 1, count: 10_001)) { _ in red }, options: lossless)
        }
        let wide = try PixelBuffer(width: 16_384, height: 1, format: .gray8, zeroed: true) { _, _ in }
        #expect(throws: ImageCodecError.tooLarge(width: 16_384, height: 1)) {
            try codec.encode(TestFrames([1, 1]) { _ in wide }, options: lossless)
        }
    }

    @Test func aSingleFrameIsEncodedAsAStill() throws {
        let file = try #require(try codec.encode(TestFrames([Samples.colors[0]]), options: lossless))
        #expect(try Libwebp.isLossless(file))
        #expect(try Libwebp.samples(file) == Samples.colors[0])
    }

    // MARK: Memory and frame source

    @Test func encodingHoldsOneFrameInMemoryAtATime() throws {
        struct Weak { weak var pixels: PixelBuffer? }
        final class Ledger: Sendable {
            let frames = Mutex<[Weak]>([])
            let most = Mutex(0)
        }
        let ledger = Ledger()
        let frames = TestFrames(Array(repeating: 0.1, count: 12)) { index in
            let alive = ledger.frames.withLock { $0.count { $0.pixels != nil } }
            ledger.most.withLock { $0 = max($0, alive) }
            let frame = try? PixelBuffer.make(Samples.noise(24 * 16 * 4, seed: UInt32(index)), width: 24)
            ledger.frames.withLock { $0.append(Weak(pixels: frame)) }
            return frame
        }
        #expect(try encode(frames).frames.count == 12)
        // The frames that exist when the next one is created.
        #expect(ledger.most.withLock { $0 } == 1)
    }

    @Test func encodingUsesACopyOfTheFrameSource() throws {
        struct Played: ImageFrameSource {
            var isCopy = false
            let data: Data? = nil
            let frameCount = 2

            func frame(at index: Int, maxSize: CGSize?) -> PixelBuffer? {
                isCopy ? try? .make(Samples.colors[index], width: 24) : nil
            }

            func duration(at index: Int) -> TimeInterval { 0.1 }
            func copy() -> Played { Played(isCopy: true) }
        }
        #expect(try encode(Played()).frames == Array(Samples.colors[0..<2]))
    }
}

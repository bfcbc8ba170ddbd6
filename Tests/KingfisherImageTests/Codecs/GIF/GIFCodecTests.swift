import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

@Suite struct GIFCodecTests {
    private let codec = GIFCodec()

    private func source(_ name: String) throws -> any ImageFrameSource {
        try #require(try codec.frameSource(for: Fixtures.data(named: "GIF/\(name).gif")))
    }

    @Test func tooShortDelaysBecomeATenth() throws {
        let source = try source("delays")
        let delays = (0..<source.frameCount).map(source.duration(at:))
        #expect(delays == [0.1, 0.1, 0.02, 0.07, 1, 0.1])
    }

    @Test func loopCountIsTheNumberOfPlays() throws {
        #expect(try source("disposal-0").loopCount == 0)
        #expect(try source("disposal-mixed").loopCount == 3)
        #expect(try source("delays").loopCount == 4)
        #expect(try source("single").loopCount == 1)
    }

    @Test func headerCountsFrames() throws {
        let header = try codec.header(of: Fixtures.data(named: "Photos/cat.gif"))
        #expect(header.frameCount == 8)
        #expect(header.size == PixelSize(width: 160, height: 120))
    }

    @Test func firstFrameIsTheStillImage() throws {
        let data = try Fixtures.data(named: "GIF/disposal-3.gif")
        let still = try codec.decode(data, minimumSize: nil)
        let first = try #require(try source("disposal-3").frame(at: 0))
        #expect(Samples.all(still) == Samples.all(first))
    }

    @Test(arguments: ["disposal-2", "disposal-3", "disposal-mixed", "local-palettes"])
    func framesAreTheSameInAnyOrder(name: String) throws {
        let source = try source(name)
        let expected = try (0..<source.frameCount).map {
            Samples.all(try #require(source.copy().frame(at: $0)))
        }
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<60 {
            let index = Int.random(in: 0..<source.frameCount, using: &generator)
            #expect(Samples.all(try #require(source.frame(at: index))) == expected[index], "frame \(index)")
        }
        #expect(source.frame(at: -1) == nil)
        #expect(source.frame(at: source.frameCount) == nil)
    }

    /// 60 frames, each one dot over the previous frames: only the first is a key frame.
    private var dots: Data {
        let head = Data("GIF89a".utf8) + [8, 0, 8, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        let frames = (0..<60).map { index in
            Data([0x2C, UInt8(index % 8), 0, UInt8(index / 8), 0, 1, 0, 1, 0, 0, 2, 2, 0x4C, 1, 0])
        }
        return frames.reduce(head, +) + [0x3B]
    }

    @Test func playingForwardsCreatesNoCheckpoints() throws {
        try dots.reading { reader throws(ImageCodecError) in
            let index = try GIFIndex(scanning: reader)
            var playhead = FramePlayhead(GIFCompositor(index))
            for number in 0..<130 { _ = try playhead.frame(at: number % 60, of: reader) }
            #expect(playhead.checkpoints.isEmpty)
            for number in [40, 5, 50] { _ = try playhead.frame(at: number, of: reader) }
            #expect(!playhead.checkpoints.isEmpty)
        }
    }

    @Test func aSourceForPlayingStoresNoCheckpointsInAnyOrder() throws {
        let source = try GIFCodec.source(dots).copyForPlaying()
        for index in [59, 3, 40, 17, 31, 32, 33, 16, 58, 0] {
            let samples = Samples.all(try #require(source.frame(at: index)))
            #expect(samples.filter { $0[3] == 255 }.count == index + 1)
            #expect(source.canvasBytes <= 2 * 8 * 8 * 4)
        }
        let scrubbed = source.copy()
        for index in [59, 3, 40] { _ = scrubbed.frame(at: index) }
        #expect(scrubbed.canvasBytes > 2 * 8 * 8 * 4)
    }

    @Test func framesAreCorrectInAnyOrderWithCheckpoints() throws {
        let source = try GIFCodec.source(dots)
        for index in [59, 3, 40, 17, 31, 32, 33, 16, 58, 0] {
            let samples = Samples.all(try #require(source.frame(at: index)))
            #expect(samples.filter { $0[3] == 255 }.count == index + 1)
        }
    }

    @Test func framesMayBeRequestedFromManyThreads() async throws {
        let source = try source("disposal-mixed")
        let expected = try (0..<source.frameCount).map {
            Samples.all(try #require(source.copy().frame(at: $0)))
        }
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<100 {
                let index = number * 7 % expected.count
                group.addTask { source.frame(at: index).map(Samples.all) == expected[index] }
            }
            for await same in group { #expect(same) }
        }
    }

    @Test func framesAreShrunkToFit() throws {
        let source = try #require(try codec.frameSource(for: Fixtures.data(named: "Photos/cat.gif")))
        let small = try #require(source.frame(at: 1, maxSize: CGSize(width: 50, height: 50)))
        #expect(small.size == PixelSize(width: 50, height: 38))
        let whole = try #require(source.frame(at: 1, maxSize: CGSize(width: 500, height: 500)))
        #expect(whole.size == PixelSize(width: 160, height: 120))
    }

    @Test func framesAreClippedToTheCanvas() throws {
        let source = try source("outside-canvas")
        let frames = try (0..<3).map { try #require(source.frame(at: $0)) }
        #expect(frames.allSatisfy { $0.size == PixelSize(width: 8, height: 8) })
        let changed = zip(Samples.all(frames[0]), Samples.all(frames[1])).enumerated().filter { $1.0 != $1.1 }
        #expect(!changed.isEmpty)
        #expect(changed.allSatisfy { $0.offset % 8 >= 5 && $0.offset / 8 >= 6 })
        #expect(Samples.all(frames[2]) == Samples.all(frames[1]))
    }

    @Test func hugeCanvasAndHugeFrameAreRefused() throws {
        let data = try Fixtures.data(named: "GIF/single.gif")
        let canvas = data.replacing([0xFF, 0xFF, 0xFF, 0xFF], at: 6)
        #expect(throws: ImageCodecError.tooLarge(width: 65_535, height: 65_535)) {
            try codec.decode(canvas, minimumSize: nil)
        }
        let image = try #require(data.offset(of: [0x2C, 0, 0, 0, 0]))
        #expect(throws: ImageCodecError.tooLarge(width: 65_535, height: 65_535)) {
            try codec.header(of: data.replacing([0xFF, 0xFF, 0xFF, 0xFF], at: image + 5))
        }
        // 300 x 300 pixels take little memory, but ten thousand such frames would be unpacked for a tiny
        // canvas.
        let first = Data(data[image..<data.count - 1])
        let second = data.dropLast() + first.replacing([0x2C, 0x01, 0x2C, 0x01], at: 5) + [0x3B]
        #expect(throws: ImageCodecError.corrupt("a frame far larger than its canvas")) {
            try codec.header(of: second)
        }
        let empty = data.replacing([0, 0, 0, 0], at: 6).replacing([0, 0, 0, 0], at: image + 5)
        #expect(throws: ImageCodecError.tooLarge(width: 0, height: 0)) { try codec.header(of: empty) }
    }

    /// 9,400 x 9,600 pixels fit in the limit once, but not three times; a still needs them once.
    @Test func aCanvasTooLargeToComposeIsRefused() throws {
        let sides: [UInt8] = [0xB8, 0x24, 0x80, 0x25]
        let size = PixelSize(width: 9_400, height: 9_600)
        let still = try Fixtures.data(named: "GIF/single.gif").replacing(sides, at: 6)
        #expect(try codec.header(of: still).size == size)
        let animation = try Fixtures.data(named: "GIF/delays.gif").replacing(sides, at: 6)
        #expect(throws: ImageCodecError.tooMuchMemory) { try codec.header(of: animation) }
    }

    /// Two by one pixels; the second is missing, after the end code, or has no code.
    @Test(arguments: [[0x0C], [0x4C, 0x01], [0xCC, 0x01]] as [[UInt8]])
    func framesWithTooFewCodesAreCorrupt(codes: [UInt8]) throws {
        let head = Data("GIF89a".utf8) + [2, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        func file(_ codes: [UInt8]) -> Data {
            head + [0x2C, 0, 0, 0, 0, 2, 0, 1, 0, 0, 2, UInt8(codes.count)] + codes + [0, 0x3B]
        }
        #expect(
            Samples.all(try codec.decode(file([0x44, 0x0A]), minimumSize: nil)).map { $0[0] } == [0, 255])
        let failure = #expect(throws: ImageCodecError.self) {
            try codec.decode(file(codes), minimumSize: nil)
        }
        #expect(failure != .truncated)
    }

    @Test func emptyFrameDrawsNothing() throws {
        let data = try Fixtures.data(named: "GIF/only-local-palettes.gif")
        let second = try #require(data.offset(of: [0x2C, 0, 0, 0, 0, 8, 0, 8, 0]))
        let source = try #require(try codec.frameSource(for: data.replacing([0, 0], at: second + 5)))
        let frames = try (0..<2).map { Samples.all(try #require(source.frame(at: $0))) }
        #expect(frames[0] == frames[1])
    }

    @Test func framesAreCounted() throws {
        let head = Data("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        let frame = Data([0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x4C, 1, 0])
        func file(_ count: Int) -> Data {
            (0..<count).reduce(into: head) { data, _ in data += frame } + [0x3B]
        }
        #expect(try codec.header(of: file(10_000)).frameCount == 10_000)
        #expect(throws: ImageCodecError.tooManyFrames) {
            try codec.header(of: file(10_001))
        }
    }

    @Test func framesWithoutColoursAndFilesWithoutFramesAreCorrupt() throws {
        let bare = Data("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0]
        #expect(throws: ImageCodecError.corrupt("no frame")) { try codec.header(of: bare + [0x3B]) }
        let frame = Data([0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x4C, 1, 0, 0x3B])
        // GIF89a recommends black and white.
        #expect(try Samples.all(codec.decode(bare + frame, minimumSize: nil)) == [[255, 255, 255, 255]])
        let black = frame.replacing([0x44], at: 12)
        #expect(try Samples.all(codec.decode(bare + black, minimumSize: nil)) == [[0, 0, 0, 255]])
    }

    /// Decision 081. Sides as Pillow 13 and, but for the offset, ImageMagick 6.9 and libvips 8.18 make them.
    @Test(
        "A screen smaller than the first frame is enlarged to hold it, also one without pixels",
        arguments: [
            ([0, 0], [0, 0], [4, 3]), ([0, 0], [1, 2], [5, 5]), ([2, 2], [0, 0], [4, 3]),
            ([4, 3], [1, 1], [5, 4]), ([0, 5], [0, 0], [4, 5]), ([6, 5], [1, 1], [6, 5]),
        ] as [([UInt8], [UInt8], [Int])])
    func screens(_ screen: [UInt8], _ place: [UInt8], _ expected: [Int]) throws {
        let head = Data("GIF89a".utf8) + [screen[0], 0, screen[1], 0, 0x80, 0, 0, 10, 20, 30, 200, 210, 220]
        // A clear code before each of the twelve pixels, of index 1; codes have three bits.
        let codes = (0..<12).flatMap { _ in [4, 1] } + [5]
        let bits = codes.flatMap { code in (0..<3).map { UInt8(code >> $0 & 1) } }
        let bytes = stride(from: 0, to: bits.count, by: 8).map { start -> UInt8 in
            bits[start...].prefix(8).reversed().reduce(0) { $0 << 1 | $1 }
        }
        let image: [UInt8] = [0x2C, place[0], 0, place[1], 0, 4, 0, 3, 0, 0, 2]
        let whole = head + Data(image) + Data([7]) + Data(bytes[..<7])
        let file = whole + Data([UInt8(bytes.count - 7)]) + Data(bytes[7...]) + Data([0, 0x3B])
        let size = PixelSize(width: expected[0], height: expected[1])
        #expect(try codec.header(of: file).size == size)
        let pixels = try codec.decode(file, minimumSize: nil)
        #expect(pixels.size == size)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let isFrame =
                    (Int(place[0])..<Int(place[0]) + 4).contains(x)
                    && (Int(place[1])..<Int(place[1]) + 3).contains(y)
                #expect(pixels.samples(x: x, y: y) == (isFrame ? [200, 210, 220, 255] : [0, 0, 0, 0]))
            }
        }
        // The first two rows of a truncated file are on the same screen.
        let part = try codec.decode(whole, minimumSize: nil, acceptsPartialImages: true)
        #expect(part.size == size)
        #expect(try codec.decodingMemory(of: whole, target: nil) > 0)
    }
}

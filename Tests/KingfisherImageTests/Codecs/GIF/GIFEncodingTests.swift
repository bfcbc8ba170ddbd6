import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

@Suite struct GIFEncodingTests {
    private let codec = GIFCodec()
    private let options = ImageEncodingOptions()

    private func image(_ width: Int, _ samples: [Int], _ format: PixelFormat = .rgba8Straight) throws
        -> Image
    {
        Image(pixels: try Samples.buffer(width, format, samples), scale: 1)
    }

    private func index(_ data: Data) throws -> GIFIndex {
        try data.reading(GIFIndex.init(scanning:))
    }

    private func animation(_ frames: [Image], _ delays: [Double], loopCount: Int = 0) throws -> Data {
        let source = DecodedFrames(frames, .each(delays), loopCount: loopCount)
        return try #require(try codec.encode(source, options: options))
    }

    private func frames(_ data: Data) throws -> [[UInt8]] {
        let source = try #require(try codec.frameSource(for: data))
        return try (0..<source.frameCount).map { Samples.premultiplied(try #require(source.frame(at: $0))) }
    }

    private let red = [255, 0, 0, 255]
    private let blue = [0, 0, 255, 255]
    private let clear = [0, 0, 0, 0]

    @Test func aStillUsesNoExtensions() throws {
        let pixels = try Samples.buffer(2, .rgba8Opaque, red + blue)
        let screen: [UInt8] = [2, 0, 1, 0, 0x70, 0, 0]
        let frame: [UInt8] = [0x2C, 0, 0, 0, 0, 2, 0, 1, 0, 0x80, 255, 0, 0, 0, 0, 255]
        let codes: [UInt8] = [2, 2, 0x44, 0x0A, 0]
        let expected = Data("GIF89a".utf8) + Data(screen + frame + codes + [0x3B])
        #expect(try codec.encode(pixels, options: options) == expected)
        #expect(try Image(pixels: pixels, scale: 1).encoded(as: .GIF) == expected)
    }

    @Test(arguments: ReferenceTests.gifs.filter { $0 != "GIF/outside-canvas.gif" } + ["Photos/cat.gif"])
    func framesDelaysAndLoopCountSurviveEncoding(name: String) throws {
        let source = try #require(try codec.frameSource(for: Fixtures.data(named: name)))
        let written = try #require(try codec.encode(source, options: options))
        if name.hasPrefix("GIF/") {
            let reference = Samples.premultiplied(straight: try Fixtures.data(named: name + ".rgba"))
            #expect(try frames(written).flatMap { $0 } == reference)
        }
        let again = try #require(try codec.frameSource(for: written))
        #expect(again.frameCount == source.frameCount)
        #expect(again.loopCount == source.loopCount)
        for number in 0..<source.frameCount {
            #expect(again.duration(at: number) == source.duration(at: number))
            #expect(
                again.frame(at: number).map(Samples.premultiplied)
                    == source.frame(at: number).map(Samples.premultiplied))
        }
        #expect(try codec.encode(source, options: options) == written, "equal images give equal bytes")
    }

    @Test func alphaOfAtLeastHalfIsOpaque() throws {
        let straight = try codec.encode(
            Samples.buffer(4, .rgba8Straight, [9, 8, 7, 127, 9, 8, 7, 128, 200, 100, 50, 255, 0, 0, 0, 255]),
            options: options)
        #expect(try frames(straight) == [[0, 0, 0, 0, 9, 8, 7, 255, 200, 100, 50, 255, 0, 0, 0, 255]])
        let premultiplied = try codec.encode(
            Samples.buffer(2, .rgba8Premultiplied, [204, 51, 0, 204, 20, 20, 20, 60]), options: options)
        #expect(try frames(premultiplied) == [[255, 64, 0, 255, 0, 0, 0, 0]])
        let gray = try codec.encode(
            Samples.buffer(
                2, PixelFormat(layout: .grayAlpha, depth: .sixteen, alpha: .straight),
                [0x8080, 0xFFFF, 0x1111, 0x7000]), options: options)
        #expect(try frames(gray) == [[128, 128, 128, 255, 0, 0, 0, 0]])
    }

    @Test func transparentPixelsDoNotShowThePreviousFrame() throws {
        let frames = [
            try image(2, red + blue), try image(2, red + clear), try image(2, clear + clear),
            try image(2, blue + red), try image(2, red + red),
        ]
        let data = try animation(frames, [0.1, 0.1, 0.1, 0.1, 0.1])
        #expect(try self.frames(data) == frames.map { Samples.premultiplied(try #require($0.pixels)) })
        // A frame is disposed only if the next one has transparent pixels there; other frames would flicker.
        #expect(
            try index(data).frames.map(\.control.disposal) == [.background, .background, .keep, .keep, .keep])
    }

    @Test func theFirstFrameDoesNotShowTheLastOneAfterARepeat() throws {
        let data = try animation([try image(1, clear), try image(1, red)], [0.1, 0.1])
        #expect(try index(data).frames.map(\.control.disposal) == [.keep, .background])
    }

    @Test(arguments: [
        (0, 0, 0), (-1, 0, 0), (.min, 0, 0), (.max, 65_535, 65_536), (1, nil, 1), (2, 1, 2), (3, 2, 3),
        (65_536, 65_535, 65_536), (100_000, 65_535, 65_536),
    ])
    func loopCountsAreWrittenAsRepetitions(count: Int, number: Int?, read: Int) throws {
        let frames = [try image(1, red), try image(1, blue)]
        let data = try animation(frames, [0.1, 0.1], loopCount: count)
        var expected: [UInt8] = []
        if let number {
            expected = [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8)
            expected += [3, 1, UInt8(number & 255), UInt8(number >> 8), 0]
        }
        expected += [0x21, 0xF9]
        #expect(Array(data[13..<13 + expected.count]) == expected)
        #expect(try codec.header(of: data).timing?.loopCount == read)
    }

    static let delays: [(name: String, seconds: [Double], hundredths: [Int])] = [
        ("exact delays", [0.02, 0.1, 1, 655.35], [2, 10, 100, 65_535]),
        ("a thirtieth", Array(repeating: 1.0 / 30, count: 6), [3, 4, 3, 3, 4, 3]),
        ("a fifteenth", Array(repeating: 1.0 / 15, count: 6), [7, 6, 7, 7, 6, 7]),
        ("milliseconds", [0.033, 0.033, 0.034], [3, 4, 3]),
        ("shorter than readers accept", [1.0 / 60, 1.0 / 60, 1.0 / 60, 0.01, 0, -1], [2, 2, 2, 2, 2, 2]),
        ("the minimum of two hundredths is not compensated later", [0, 0, 0, 0, 0.5], [2, 2, 2, 2, 50]),
        ("beyond sixteen bits", [700, .infinity, .nan, 0.1], [65_535, 65_535, 2, 10]),
    ]

    @Test(arguments: delays)
    func delaysAreRoundedWithoutDrift(name: String, seconds: [Double], hundredths: [Int]) {
        var delays = GIFDelays()
        #expect(seconds.map { delays.hundredths(of: $0) } == hundredths, "\(name)")
    }

    @Test func delaysDoNotDriftInTheFile() throws {
        let frames = [Image](repeating: try image(1, red), count: 90)
        let timing = try codec.header(of: animation(frames, Array(repeating: 1.0 / 30, count: 90))).timing
        let total = try #require(timing?.durations.reduce(0, +))
        #expect(abs(total - 3) < 0.006)
    }

    @Test(arguments: [2, 4, 5, 16, 17, 255, 256]) func imagesWithNoMoreColoursThanThePaletteAreExact(
        count: Int
    )
        throws
    {
        let samples = (0..<count * 3).flatMap { number -> [Int] in
            let level = number % count
            return [level, level * 7 % 256, 255 - level, 255]
        }
        let data = try codec.encode(Samples.buffer(count, .rgba8Straight, samples), options: options)
        #expect(try frames(data) == [samples.map(UInt8.init)])
        let palette = try #require(try index(data).frames.first?.palette)
        #expect(palette.count >= count && palette.count < 2 * count)
    }

    @Test func transparencyTakesOnePaletteEntry() throws {
        let colors = (0..<256).flatMap { [$0, 0, 0, 255] }
        let exact = try frames(
            codec.encode(
                Samples.buffer(256, .rgba8Straight, Array(colors.dropLast(4)) + clear), options: options))
        #expect(exact == [Array(colors.dropLast(4)).map(UInt8.init) + [0, 0, 0, 0]])
        let crowded = try #require(
            try frames(
                codec.encode(
                    Samples.buffer(257, .rgba8Straight, colors + clear), options: options)
            ).first)
        #expect(crowded.suffix(4) == [0, 0, 0, 0])
        let reds = stride(from: 0, to: 1024, by: 4).map { Int(crowded[$0]) }
        // One colour was replaced by its neighbour.
        #expect(reds.enumerated().map { abs($0 - $1) }.reduce(0, +) == 1)
    }

    @Test func unsupportedSizesAreErrors() throws {
        let wide = try Samples.buffer(65_536, .gray8, [Int](repeating: 1, count: 65_536))
        #expect(throws: ImageCodecError.tooLarge(width: 65_536, height: 1)) {
            try codec.encode(wide, options: options)
        }
        let widest = try Samples.buffer(65_535, .gray8, [Int](repeating: 1, count: 65_535))
        #expect(try codec.header(of: codec.encode(widest, options: options)).size == widest.size)
        #expect(throws: ImageCodecError.unsupported("frames of different sizes")) {
            try animation([image(1, red), image(2, red + red)], [0.1, 0.1])
        }
    }
}

import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

@Suite struct APNGEncodingTests {
    private let codec = APNGCodec()

    private func written(_ source: any ImageFrameSource) throws -> Data {
        try #require(try codec.encode(source, options: .init()))
    }

    private func source(_ name: String) throws -> any ImageFrameSource {
        let data = try Fixtures.data(named: name)
        return try #require(try ImageCodecs.codec(for: data)?.frameSource(for: data))
    }

    private func animation(_ frames: [PixelBuffer], _ durations: [TimeInterval]) throws -> Image {
        var state = KingfisherState()
        state.loopCount = 2
        return Image(.frames(frames.map { Image(pixels: $0) }, .each(durations)), state: state)
    }

    @Test(
        arguments: ReferenceTests.apngs + [
            "GIF/disposal-mixed.gif", "GIF/delays.gif", "GIF/local-palettes.gif",
        ])
    func framesDelaysAndLoopCountSurviveEncoding(name: String) throws {
        let source = try source(name)
        let data = try written(source)
        #expect(data.kf.imageFormat == .APNG)
        let again = try #require(try codec.frameSource(for: data))
        #expect(again.frameCount == source.frameCount && again.loopCount == source.loopCount)
        for index in 0..<source.frameCount {
            #expect(again.duration(at: index) == source.duration(at: index))
            let (one, other) = (try #require(source.frame(at: index)), try #require(again.frame(at: index)))
            #expect(one.bitsPerComponent == other.bitsPerComponent)
            if one.bitsPerComponent == 16 {
                #expect(Samples.all(one) == Samples.all(other))
            } else {
                #expect(Samples.premultiplied(one) == Samples.premultiplied(other))
            }
        }
        #expect(try written(source) == data)
    }

    @Test func aPNGDecoderReadsTheFirstFrame() throws {
        let source = try source("APNG/mixed.apng")
        let still = try PNGCodec().decode(try written(source), minimumSize: nil)
        #expect(Samples.all(still) == Samples.all(try #require(source.frame(at: 0))))
    }

    @Test(
        arguments: [
            ("gray1", 4, 8), ("grayalpha", 4, 8), ("grayalpha16", 4, 16), ("opaque-rgb", 2, 8),
            ("palette", 6, 8),
            ("mixed", 6, 8), ("rgba16", 6, 16),
        ] as [(String, UInt8, UInt8)])
    func theColourTypeIsTheSmallestThatHoldsAllFrames(name: String, type: UInt8, depth: UInt8) throws {
        let data = try written(source("APNG/\(name).apng"))
        #expect(data[24] == depth && data[25] == type)
    }

    @Test func opaqueGrayNeedsOneChannel() throws {
        let frames = [
            try Samples.buffer(2, .gray8, [7, 200]),
            try Samples.buffer(2, .rgba8Opaque, [9, 9, 9, 255, 8, 8, 8, 255]),
        ]
        let data = try animation(frames, [1, 1]).encoded(as: .APNG)
        #expect(data[24] == 8 && data[25] == 0)
        let source = try #require(try codec.frameSource(for: data))
        #expect(Samples.all(try #require(source.frame(at: 1))) == [[9, 9, 9, 255], [8, 8, 8, 255]])
    }

    @Test func onlyTheChangedAreaIsWritten() throws {
        let blank = Array(repeating: 0, count: 12 * 10 * 4)
        let frames = try [(0, 0), (3, 2), (9, 7)].map { x, y in
            var samples = blank
            samples[(y * 12 + x) * 4 + 3] = 255
            return try Samples.buffer(12, .rgba8Straight, samples)
        }
        let list = ChunkList(try animation(frames, [1, 1, 1]).encoded(as: .APNG))
        let rectangles = list.places("fcTL").map { place in
            stride(from: 4, to: 20, by: 4).map { Int(list.chunks[place].data[$0 + 3]) }
        }
        #expect(rectangles == [[12, 10, 0, 0], [4, 3, 0, 0], [7, 6, 3, 2]])
        #expect(list.chunks.filter { $0.type == "fcTL" }.allSatisfy { $0.data[24...] == [0, 0] })
    }

    @Test func unchangedFramesKeepTheirDelays() throws {
        let one = try Samples.buffer(2, .rgba8Opaque, [1, 2, 3, 255, 4, 5, 6, 255])
        let data = try animation([one, one, one], [0.5, 0.25, 0.125]).encoded(as: .APNG)
        let source = try #require(try codec.frameSource(for: data))
        #expect((0..<3).map(source.duration(at:)) == [0.5, 0.25, 0.125] && source.loopCount == 2)
        for index in 0..<3 {
            #expect(Samples.all(try #require(source.frame(at: index))) == Samples.all(one))
        }
    }

    @Test func framesOfDifferentFormatsShareOneFormat() throws {
        let frames = [
            try Samples.buffer(2, .gray8, [7, 200]),
            try Samples.buffer(2, .rgba8Premultiplied, [10, 0, 0, 20, 0, 0, 0, 0]),
            try Samples.buffer(
                2, PixelFormat(layout: .grayAlpha, depth: .sixteen, alpha: .straight), [258, 65_535, 9, 300]),
        ]
        let data = try animation(frames, [1, 1, 1]).encoded(as: .APNG)
        let source = try #require(try codec.frameSource(for: data))
        let shown = try (0..<3).map { Samples.all(try #require(source.frame(at: $0))) }
        let (gray, light) = (7 * 257, 200 * 257)
        #expect(shown[0] == [[gray, gray, gray, 65_535], [light, light, light, 65_535]])
        #expect(shown[1][0] == [32_768, 0, 0, 20 * 257] && shown[1][1][3] == 0)
        #expect(shown[2] == [[258, 258, 258, 65_535], [9, 9, 9, 300]])
    }

    @Test func framesOfDifferentSizesAndCorruptFramesAreErrors() throws {
        let (small, large) = (
            try Samples.buffer(1, .gray8, [1]), try Samples.buffer(1, .gray8, [1, 2])
        )
        #expect(throws: ImageCodecError.unsupported("frames of different sizes")) {
            try animation([small, large], [1, 1]).encoded(as: .APNG)
        }
        var list = ChunkList(try Fixtures.data(named: "APNG/opaque-rgb.apng"))
        list.chunks[list.places("fdAT")[2]].data.removeLast(20)
        #expect(throws: ImageCodecError.corrupt("frame 3 cannot be decoded")) {
            try written(APNGCodec.source(list.file))
        }
    }

    @Test func stillsAreEncodedAsPlainPNG() throws {
        let still = try Image.decode(Fixtures.data(named: "PNG/rgba8.png"))
        let data = try still.encoded(as: .APNG)
        #expect(data.kf.imageFormat == .PNG && data == still.pngData())
    }

    @Test func representationsAreTheFileOrAConversion() throws {
        let file = try Fixtures.data(named: "APNG/mixed.apng")
        let image = try Image.decode(file)
        #expect(image.kf.data(format: .APNG) == file)
        let png = try #require(image.kf.pngRepresentation())
        #expect(png.kf.imageFormat == .PNG)
        #expect(
            Samples.all(try PNGCodec().decode(png, minimumSize: nil))
                == Samples.all(try #require(image.pixels)))
        let gif = try Image.decode(Fixtures.data(named: "Photos/cat.gif"))
        let converted = try #require(gif.kf.data(format: .APNG))
        #expect(converted.kf.imageInfo?.timing == gif.kf.gifRepresentation()?.kf.imageInfo?.timing)
    }
}

import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

@Suite struct APNGCodecTests {
    private let codec = APNGCodec()

    private func data(_ name: String) throws -> Data {
        try Fixtures.data(named: "APNG/\(name).apng")
    }

    private func source(_ name: String) throws -> any ImageFrameSource {
        try #require(try codec.frameSource(for: data(name)))
    }

    @Test func aPNGWithSeveralFramesIsAnAPNG() throws {
        let animated = try data("odd")
        #expect(animated.kf.imageFormat == .APNG)
        #expect(try Fixtures.data(named: "PNG/rgb8.png").kf.imageFormat == .PNG)
        let single = try Fixtures.data(named: "APNG/one-frame.png")
        #expect(single.kf.imageFormat == .PNG)
        let still = try Image.decode(single)
        #expect(still.kf.frameSource == nil && still.kf.imageFrameCount == nil)
        #expect(ImageCodecs.format(forFileExtension: "APNG") == .APNG)
        #expect(ImageCodecs.format(forFileExtension: "png") == .PNG)
    }

    @Test func theFormatIsKnownOnceTheAnimationControlArrived() throws {
        let animated = try data("odd")
        let control = try #require(animated.offset(of: Array("acTL".utf8)))
        for count in 9..<animated.count {
            let format: ImageFormat = count < control + 8 ? .PNG : .APNG
            #expect(animated.prefix(count).kf.imageFormat == format, "\(count) bytes")
        }
    }

    @Test func theAnimationControlMustPrecedeThePixels() throws {
        var late = ChunkList(try data("odd"))
        let control = late.chunks.remove(at: late.places("acTL")[0])
        late.chunks.insert(control, at: late.places("IDAT")[0] + 1)
        #expect(late.file.kf.imageFormat == .PNG)
        #expect(throws: ImageCodecError.corrupt("IDAT out of place")) { try codec.header(of: late.file) }

        var behindText = ChunkList(try data("odd"))
        let text = ChunkList.Chunk(type: "tEXt", data: Array("Comment\0before".utf8))
        behindText.chunks.insert(contentsOf: Array(repeating: text, count: 10), at: 1)
        #expect(behindText.file.kf.imageFormat == .APNG)
        behindText.chunks.insert(contentsOf: Array(repeating: text, count: 100), at: 1)
        #expect(behindText.file.kf.imageFormat == .PNG)
        #expect(Image(data: behindText.file)?.size == CGSize(width: 7, height: 13))
    }

    @Test func delaysAreFractionsAndTooShortOnesBecomeATenth() throws {
        let source = try source("delays")
        let delays = (0..<source.frameCount).map(source.duration(at:))
        #expect(delays == [0.1, 0.1, 0.02, 0.07, 1, 1.0 / 30, 65.535, 0.1, 0.1])
        #expect(source.loopCount == 4)
        #expect(try self.source("odd").loopCount == 0)
    }

    @Test func infoContainsTheTiming() throws {
        let info = try #require(try data("mixed").kf.imageInfo)
        #expect(info.format == .APNG && info.frameCount == 14 && info.hasAlpha)
        #expect(info.width == 20 && info.height == 15 && info.bitsPerComponent == 8)
        let delays = [10] + Array(4...15) + [20]
        #expect(info.timing == AnimationTiming(durations: delays.map { Double($0) / 100 }, loopCount: 3))
    }

    @Test(arguments: [
        ("opaque-rgb", PixelFormat.rgba8Opaque), ("rgb-to-background", .rgba8Straight),
        ("mixed", .rgba8Straight),
        ("hidden-default", .rgba8Straight), ("hidden-default-covered", .rgba8Opaque), ("1x1", .rgba8Straight),
        ("rgba16", PixelFormat(layout: .rgba, depth: .sixteen, alpha: .straight)),
    ])
    func framesHaveAlphaIfAnyPixelIsTransparent(name: String, format: PixelFormat) throws {
        #expect(try codec.decode(data(name), minimumSize: nil).format == format)
    }

    @Test func aHiddenDefaultImageIsNotDecoded() throws {
        let file = try data("hidden-default")
        let hidden = try PNGCodec().decode(file, minimumSize: nil)
        let first = try codec.decode(file, minimumSize: nil)
        #expect(Samples.all(hidden)[0][3] == 255 && Samples.all(first)[0] == [0, 0, 0, 0])
    }

    @Test(arguments: ["mixed", "partial-alpha", "whole-frames", "dispose2-blend1", "first-previous"])
    func framesAreTheSameInAnyOrder(name: String) throws {
        let source = try source(name)
        let expected = try (0..<source.frameCount).map {
            Samples.all(try #require(source.copy().frame(at: $0)))
        }
        for number in 0..<60 {
            let index = number * 11 % 17 % source.frameCount
            #expect(Samples.all(try #require(source.frame(at: index))) == expected[index], "frame \(index)")
        }
        #expect(source.frame(at: -1) == nil && source.frame(at: source.frameCount) == nil)
    }

    @Test func fullFramesAreKeyFrames() throws {
        let index = try data("whole-frames").reading(APNGIndex.init(scanning:))
        let compositor = APNGCompositor(index)
        // Frames that replace the whole canvas and are not disposed, and frames after one that clears the
        // whole canvas.
        #expect((0..<10).filter(compositor.isKeyFrame) == [0, 1, 3, 4, 5, 8])
    }

    @Test func canvasesOf16BitsCountTwice() throws {
        let (deep, flat) = (try APNGCodec.source(data("rgba16")), try APNGCodec.source(data("mixed")))
        _ = (deep.frame(at: 0), flat.frame(at: 0))
        #expect(flat.canvasBytes == 2 * 20 * 15 * 4 && deep.canvasBytes == 2 * flat.canvasBytes)
    }
}

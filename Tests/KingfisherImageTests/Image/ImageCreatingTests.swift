import Foundation
import KingfisherImage
import KingfisherTestSupport
import Synchronization
import Testing
import TestHelpers

/// Behaviours I-2 to I-4: creating an image from an animated file.
@Suite struct ImageCreatingTests {
    private func cat() throws -> Data { try Fixtures.data(named: "Photos/cat.gif") }

    @Test("Frames are decoded on demand by default", .behaviours("I-2"))
    func framesStayOnDemandByDefault() throws {
        let image = try #require(KingfisherWrapper<Image>.image(data: cat(), options: ImageCreatingOptions()))
        #expect(image.kf.imageFrameCount == 8)
        #expect(image.kf.frameSource?.frameCount == 8)
        #expect(image.images == nil)
        #expect(image.duration == 0)
        #expect(image.size == CGSize(width: 160, height: 120))
    }

    @Test("Preloading decodes every frame and drops the frame source", .behaviours("I-2"))
    func preloadAllDecodesEveryFrame() throws {
        let options = ImageCreatingOptions(preloadAll: true)
        let image = try #require(KingfisherWrapper<Image>.animatedImage(data: cat(), options: options))
        #expect(image.images?.count == 8)
        #expect(image.kf.frameSource == nil)
        #expect(image.kf.imageFrameCount == 8)
        #expect(abs(image.duration - 0.8) < 1e-9)
        let longer = ImageCreatingOptions(duration: 4, preloadAll: true)
        #expect(try KingfisherWrapper<Image>.animatedImage(data: cat(), options: longer)?.duration == 4)
    }

    @Test func preloadedFramesKeepTheirOwnDelays() throws {
        let data = try Fixtures.data(named: "GIF/delays.gif")
        let image = try Image.decode(data, options: ImageCreatingOptions(preloadAll: true))
        #expect(image.frameDurations == [0.1, 0.1, 0.02, 0.07, 1, 0.1])
        #expect(image.kf.scaled(to: 2).frameDurations == image.frameDurations)
        let even = try Image.decode(data, options: ImageCreatingOptions(duration: 3, preloadAll: true))
        #expect(even.frameDurations == [0.5, 0.5, 0.5, 0.5, 0.5, 0.5] && even.duration == 3)
        #expect(try Image.decode(data).frameDurations == nil)
        let two = try #require(Image.animatedImage(with: [image, even], duration: 1))
        #expect(two.frameDurations == [0.5, 0.5])
    }

    @Test(
        "A load of only the first frame gives a still with the frame count and the file", .behaviours("I-2"))
    func onlyFirstFrameIsPlainButKeepsTheFile() throws {
        for preload in [false, true] {
            let options = ImageCreatingOptions(preloadAll: preload, onlyFirstFrame: true)
            let image = try #require(KingfisherWrapper<Image>.image(data: cat(), options: options))
            #expect(image.images == nil)
            #expect(image.kf.frameSource == nil)
            #expect(image.kf.imageFrameCount == 8)
            #expect(try image.kf.gifRepresentation() == cat())
        }
    }

    @Test("A file with a single frame has a frame count of one", .behaviours("I-2"))
    func singleFrameCountsAsOne() throws {
        let data = try Fixtures.data(named: "GIF/single.gif")
        let options = ImageCreatingOptions(preloadAll: true)
        let image = try #require(KingfisherWrapper<Image>.image(data: data, options: options))
        #expect(image.kf.imageFrameCount == 1)
        #expect(image.images?.count == 1)
    }

    @Test("A still of another format has no frame count", .behaviours("I-2"))
    func otherFormatsAreNoAnimation() throws {
        for name in ["Photos/badge.png", "Photos/coffee.jpg"] {
            let data = try Fixtures.data(named: name)
            let image = try #require(
                KingfisherWrapper<Image>.image(data: data, options: ImageCreatingOptions()))
            #expect(image.kf.imageFrameCount == nil)
            #expect(image.kf.gifRepresentation() == nil)
            #expect(
                KingfisherWrapper<Image>.animatedImage(data: data, options: ImageCreatingOptions()) == nil)
        }
    }

    @Test(
        "The representation of a GIF is its file, and decoding it gives that file again", .behaviours("I-3"))
    func gifRepresentationSurvivesItsOwnDecode() throws {
        let first = try #require(Image.decode(cat()).kf.gifRepresentation())
        #expect(try first == cat())
        #expect(try Image.decode(first).kf.gifRepresentation() == cat())
        #expect(try Image.decode(first).kf.data(format: .GIF) == cat())
    }

    @Test("The scale applies to animations", .behaviours("I-4"))
    func scaleAppliesToAnimations() throws {
        for preload in [false, true] {
            let options = ImageCreatingOptions(scale: 2, preloadAll: preload)
            let image = try Image.decode(cat(), options: options)
            #expect(image.scale == 2)
            #expect(image.size == CGSize(width: 80, height: 60))
            #expect(image.images?.allSatisfy { $0.scale == 2 } ?? true)
        }
    }

    @Test func framesAboveTheMemoryLimitAreDecodedOnDemand() throws {
        let huge = CountingSource(
            frameCount: 5_000, pixels: try Samples.buffer(1, .gray8, [9]), claims: 30_000)
        let options = ImageCreatingOptions(preloadAll: true)
        let image = try #require(KingfisherWrapper<Image>.animatedImage(source: huge, options: options))
        #expect(image.images == nil)
        #expect(image.kf.frameSource != nil)
        #expect(huge.asked == 1)
    }

    @Test func theBaseImageReplacesTheFirstFrame() throws {
        let base = Image(pixels: try Samples.buffer(2, .gray8, [1, 2]), scale: 2)
        let source = try #require(try GIFCodec().frameSource(for: cat()))
        let image = try #require(
            KingfisherWrapper<Image>.animatedImage(
                source: source, options: ImageCreatingOptions(), baseImage: base))
        #expect(image.pixels === base.pixels)
        #expect(image.scale == 2)
        #expect(image.kf.imageFrameCount == 8)
    }

    @Test func onlyACorruptFirstFrameMakesTheImageFail() throws {
        let broken = CountingSource(frameCount: 3, pixels: nil, claims: 1)
        #expect(
            KingfisherWrapper<Image>.animatedImage(source: broken, options: ImageCreatingOptions()) == nil)
        let data = try Fixtures.data(named: "GIF/disposal-0.gif")
        var last = 0
        while let next = data.offset(of: [0x21, 0xF9], from: last + 1) { last = next }
        // A code size that GIF does not allow, for the last frame.
        let damaged = data.replacing([77], at: last + 18)
        #expect(try Image.decode(damaged).images == nil)
        // As in players, the previous frame replaces the corrupt one.
        let preloaded = try Image.decode(damaged, options: ImageCreatingOptions(preloadAll: true))
        let frames = try #require(preloaded.images)
        #expect(frames.count == preloaded.kf.imageFrameCount && frames.count > 1)
        #expect(frames.last === frames.dropLast().last)
    }
}

/// A source that returns the same pixels for every frame and counts the requests.
private final class CountingSource: ImageFrameSource {
    let data: Data? = nil
    let frameCount: Int
    private let pixels: PixelBuffer?
    private let count = Mutex(0)

    init(frameCount: Int, pixels: PixelBuffer?, claims side: Int) {
        self.frameCount = frameCount
        self.pixels = pixels.flatMap { _ in
            try? PixelBuffer(width: side, height: 8, format: .gray8) { _, _ in }
        }
    }

    var asked: Int { count.withLock { $0 } }
    func frame(at index: Int, maxSize: CGSize?) -> PixelBuffer? {
        count.withLock { $0 += 1 }
        return pixels
    }
    func duration(at index: Int) -> TimeInterval { 0.1 }
    func copy() -> CountingSource { self }
}

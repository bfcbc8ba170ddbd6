import Foundation
import KingfisherImage
import KingfisherTestSupport
import Testing

@testable import Kingfisher

/// The default serializer with animations whose frames are in no file, and with conversions.
@Suite struct AnimationStoringTests {
    private func animation(_ processor: any ImageProcessor = GreyFixtures.lighter(), of data: Data) throws
        -> Image
    {
        let options = KingfisherParsedOptionsInfo([.processor(processor), .processesAnimatedFrames])
        return try #require(options.processor.process(item: .data(data), options: options))
    }

    private func serialized(_ image: Image, _ original: Data?) -> Data? {
        DefaultCacheSerializer.default.data(with: image, original: original)
    }

    @Test("An animation is serialized in the original's format if that supports animation")
    func sameFormat() throws {
        let wanted = MotionCodec.file([101, 102, 103], milliseconds: [40, 250, 70], loopCount: 5)
        #expect(try serialized(animation(of: GreyFixtures.file), GreyFixtures.file) == wanted)
        // Processed frames also refer to their file.
        #expect(try serialized(animation(of: GreyFixtures.file), nil) == wanted)
    }

    @Test(
        "An animation becomes APNG if the original's format has a palette or no animation",
        arguments: ["png", "gif"])
    func neverAStill(_ original: String) throws {
        let original = try ["png": TestImages.png, "gif": TestImages.gif][original]
        let data = try #require(try serialized(animation(of: GreyFixtures.file), original))
        #expect(data.kf.imageFormat == .APNG && data.kf.imageInfo?.frameCount == 3)
    }

    @Test("A still image that a processor made from an animation is serialized as a still image")
    func still() throws {
        let options = KingfisherParsedOptionsInfo([.processor(GreyFixtures.lighter())])
        let still = try #require(options.processor.process(item: .data(try TestImages.gif), options: options))
        #expect(try serialized(still, TestImages.gif)?.kf.imageFormat == .PNG)
    }

    @Test(
        "Conversion to each animated format keeps delays and loop count",
        arguments: [ImageFormat.GIF, .APNG, MotionCodec.shared.format], [false, true])
    func conversions(_ format: ImageFormat, preload: Bool) throws {
        let image = try Image.decode(GreyFixtures.file, options: ImageCreatingOptions(preloadAll: preload))
        let data = try image.encoded(as: format)
        #expect(data.kf.imageFormat == format)
        let timing = try #require(try ImageCodecs.open(data).header.timing)
        #expect(timing.loopCount == 5 && timing.durations.count == 3)
        // GIF delays are in hundredths of a second.
        for (got, wanted) in zip(timing.durations, GreyFixtures.durations) {
            #expect(abs(got - wanted) < 1e-6)
        }
        let back = try Image.decode(data, options: ImageCreatingOptions(preloadAll: preload))
            .encoded(as: MotionCodec.shared.format)
        #expect(try ImageCodecs.open(back).header.timing == timing)
    }
}

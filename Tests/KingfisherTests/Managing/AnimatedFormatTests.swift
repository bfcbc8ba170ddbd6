import Foundation
import KingfisherImage
import KingfisherTestSupport
import Testing
import TestHelpers

@testable import Kingfisher

/// I-2, I-5, V-9 and M-13 for animations of every format.
@Suite struct AnimatedFormatTests {
    enum Sample: String, CaseIterable {
        case gif, motion

        var data: Data {
            get throws {
                switch self {
                case .gif: try TestImages.gif
                case .motion: GreyFixtures.file
                }
            }
        }

        var durations: [TimeInterval] {
            self == .gif ? [0.1, 0.1, 0.02, 0.07, 1, 0.1] : GreyFixtures.durations
        }
    }

    @Test(
        "An animation can be created on demand, preloaded, or as its first frame", .behaviours("I-2"),
        arguments: Sample.allCases)
    func creating(_ sample: Sample) throws {
        let (data, count) = (try sample.data, sample.durations.count)
        let lazy = try Image.decode(data)
        #expect(lazy.kf.frameSource?.frameCount == count && lazy.images == nil)
        let all = try Image.decode(data, options: ImageCreatingOptions(preloadAll: true))
        #expect(all.kf.frameSource == nil && all.images?.count == count)
        #expect(all.frameDurations == sample.durations)
        let first = try Image.decode(data, options: ImageCreatingOptions(onlyFirstFrame: true))
        #expect(first.kf.frameSource == nil && first.images == nil)
        let format = data.kf.imageFormat
        for image in [lazy, all, first] {
            #expect(image.kf.imageFrameCount == count && image.kf.data(format: format) == data)
            #expect(DefaultCacheSerializer.default.data(with: image, original: nil) == data)
        }
    }

    @Test("The cost is that of the frames in memory", .behaviours("I-5"), arguments: Sample.allCases)
    func cost(_ sample: Sample) throws {
        let data = try sample.data
        let all = try Image.decode(data, options: ImageCreatingOptions(preloadAll: true))
        let first = try Image.decode(data, options: ImageCreatingOptions(onlyFirstFrame: true))
        #expect(all.cacheCost == first.cacheCost * sample.durations.count)
        #expect(try Image.decode(data).cacheCost == first.cacheCost)
    }

    @Test("Each load decides how many frames are decoded", .behaviours("V-9"), arguments: Sample.allCases)
    func loads(_ sample: Sample) async throws {
        let bench = try Bench(serving: try sample.data)
        let first = try await bench.retrieve(nil, [.onlyLoadFirstFrame, .waitForCache]).get()
        #expect(first.image.images == nil && first.image.kf.frameSource == nil)
        for isCleared in [false, true] {
            if isCleared { bench.cache.clearMemoryCache() }
            let all = try await bench.retrieve(nil, [.preloadAllAnimationData]).get()
            #expect(all.cacheType == (isCleared ? .disk : .memory))
            #expect(all.image.images?.count == sample.durations.count)
        }
        let again = try await bench.retrieve(nil, [.onlyLoadFirstFrame]).get()
        #expect(again.cacheType == .memory && again.image.images == nil)
        #expect(try await bench.retrieve().get().image.kf.frameSource != nil)
        #expect(bench.stub.requests.count == 1)
    }

    @Test("A plain view has all frames in memory", .behaviours("V-9"), arguments: Sample.allCases)
    @MainActor func plainView(_ sample: Sample) async throws {
        let rig = ImageViewLoadingRig(try Bench(serving: try sample.data))
        _ = try await rig.load([.onlyLoadFirstFrame]).result().get()
        #expect(rig.view.image?.images == nil)
        _ = try await rig.load().result().get()
        #expect(rig.view.image?.images?.count == sample.durations.count)
    }

    @Test(
        "Delays and loop count are preserved when an image is made again from the same frames",
        arguments: Sample.allCases)
    func recreation(_ sample: Sample) throws {
        for preload in [false, true] {
            let image = try Image.decode(try sample.data, options: ImageCreatingOptions(preloadAll: preload))
            let loops = image.animationFrames?.loopCount
            #expect(loops == (sample == .gif ? loops : 5) && loops != nil)
            let images = [
                image.kf.scaled(to: 2), image.kf.normalized, image.kf.decoded, image.kf.decoded(scale: 3),
                image.withRenderingMode(.alwaysTemplate), image.withAlignmentRectInsets(.zero),
            ]
            for image in images {
                let frames = try #require(image.animationFrames)
                #expect(frames.loopCount == loops)
                #expect((0..<frames.frameCount).map(frames.duration(at:)) == sample.durations)
            }
            let other = try TestImages.image
            image.kf.copyKingfisherState(to: other)
            #expect(other.withState(\.loopCount) == loops)
        }
    }
}

import Foundation
import KingfisherImage
import KingfisherTestSupport
import Testing

@testable import Kingfisher

/// An animation with a corrupt frame in the middle: the previous frame replaces it.
@Suite struct CorruptFrameTests {
    private static let broken = MotionCodec.file(
        [1, 2, 3, 4, 5],
        milliseconds: [40, 50 | MotionCodec.broken, 60 | MotionCodec.broken, 70, 80 | MotionCodec.broken])

    @Test("A preloaded corrupt frame is the same object as the previous one and adds no cost")
    func preloaded() throws {
        let image = try Image.decode(Self.broken, options: ImageCreatingOptions(preloadAll: true))
        #expect(image.greysInMemory == [1, 1, 1, 4, 4] && image.kf.imageFrameCount == 5)
        #expect(image.cacheCost == 2 * 8 * 6 * 4)
        #expect(try Image.decode(Self.broken).greysOnDemand == [1, -1, -1, 4, -1])
    }

    @Test("An encoded animation repeats the previous frame, preloaded or not", arguments: [false, true])
    func encoded(preload: Bool) throws {
        let image = try Image.decode(Self.broken, options: ImageCreatingOptions(preloadAll: preload))
        let again = try Image.decode(try image.encoded(as: MotionCodec.shared.format))
        #expect(
            (0..<5).map { again.kf.frameSource?.frame(at: $0)?.samples(x: 0, y: 0)?.first } == [
                1, 1, 1, 4, 4,
            ])
    }

    @Test("A long run of corrupt frames is searched once")
    func longGap() throws {
        let source = StubFrames(
            Array(repeating: 0.1, count: 500), broken: Set(3..<500))
        let steady = SteadyFrames(source)
        let greys = (0..<500).map { steady.frame(at: $0)?.samples(x: 0, y: 0)?.first }
        #expect(greys == [0, 1] + Array(repeating: 2, count: 498))
        #expect(source.log.decoded.values.reduce(0, +) < 1500)
        #expect(steady.frame(at: 400)?.samples(x: 0, y: 0)?.first == 2)
        #expect(steady.frame(at: 1)?.samples(x: 0, y: 0)?.first == 1)
        #expect(steady.copy().frame(at: 499)?.samples(x: 0, y: 0)?.first == 2)
        #expect(steady.frame(at: 500) == nil)
        #expect(SteadyFrames(StubFrames([0.1, 0.1], broken: [0, 1])).frame(at: 1) == nil)
    }

    @Test("Plain and animated views play past a corrupt frame")
    @MainActor func views() async throws {
        let rig = ImageViewLoadingRig(try Bench(serving: Self.broken))
        _ = try await rig.load().result().get()
        #expect(rig.view.image?.greysInMemory == [1, 1, 1, 4, 4])

        let animated = AnimationRig()
        try await animated.play(StubFrames([0.1, 0.1, 0.1, 0.1], broken: [1, 2]))
        let shows = await animated.run(for: 0.45)
        #expect(shows == ["0.3: 3", "0.4: 0"])
    }

    @Test("A refused processed frame is replaced by the previous one")
    @MainActor func processed() async throws {
        let options = KingfisherParsedOptionsInfo([
            .processor(GreyFixtures.refusing(2)), .processesAnimatedFrames,
        ])
        let rig = AnimationRig()
        rig.view.image = options.processor.process(item: .data(GreyFixtures.file), options: options)
        await rig.settle()
        let shows = await rig.run(for: 0.37)
        #expect(shows == ["0.29: 103", "0.36: 101"])
    }
}

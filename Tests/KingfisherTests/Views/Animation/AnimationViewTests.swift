import Foundation
import KingfisherImage
import KingfisherTestSupport
import Testing

@testable import Kingfisher

/// An animated image view plays frames that are decoded shortly before they are due.
@Suite @MainActor struct AnimationViewTests {
    private let rig = AnimationRig()
    private var view: AnimatedImageView { rig.view }

    @Test func showsEachFrameAtItsTime() async throws {
        try await rig.play(StubFrames([0.1, 0.2, 0.3]))
        #expect(rig.shown == 0)
        let shows = await rig.run(for: 1.2)
        #expect(shows == ["0.1: 1", "0.3: 2", "0.6: 0", "0.7: 1", "0.9: 2", "1.2: 0"])
        #expect(view.animator?.currentFrameIndex == 0 && view.animator?.currentFrameDuration == 0.1)
        #expect(rig.events == ["loop 1", "loop 2"])
    }

    @Test func delaysAndFramesOfAFile() async throws {
        let data = try TestImages.gif
        let source = try #require(try GIFCodec().frameSource(for: data))
        view.image = try TestImages.animation
        await rig.settle()
        var times: [Int] = [0, 0, 0, 0, 0, 0]
        for tick in 1...139 {
            await rig.look(after: 0.01)
            let animator = try #require(view.animator)
            if tick == 25 { #expect(animator.currentFrameIndex == 3 && !animator.isLastFrame) }
            times[animator.currentFrameIndex] += 1
            let expected = source.frame(at: animator.currentFrameIndex).map { Image(pixels: $0) }
            #expect(samePixels(view.displayedImage, expected))
        }
        // The look at the very start was not counted, the first one of the second loop was.
        #expect(times == [10, 10, 2, 7, 100, 10])
    }

    @Test(arguments: [
        (AnimatedImageView.RepeatCount.once, ["loop 1", "end"]),
        (.finite(count: 2), ["loop 1", "loop 2", "end"]), (.finite(count: 0), []),
    ])
    func playsSoOften(count: AnimatedImageView.RepeatCount, events: [String]) async throws {
        view.repeatCount = count
        try await rig.play(StubFrames([0.1, 0.1]))
        await rig.run(for: 5)
        #expect(rig.events == events && !view.isAnimating && view.nextFrameTime == nil)
        #expect(rig.shown == (events.isEmpty ? 0 : 1))
    }

    @Test func playsAnewAfterTheEnd() async throws {
        view.repeatCount = .once
        try await rig.play(StubFrames([0.1, 0.1]))
        await rig.run(for: 1)
        view.startAnimating()
        await rig.settle()
        #expect(view.isAnimating && rig.shown == 0)
        await rig.run(for: 1)
        #expect(rig.events == ["loop 1", "end", "loop 1", "end"])
    }

    @Test func anotherRepeatCountStartsAnew() async throws {
        try await rig.play(StubFrames([0.1, 0.1, 0.1]))
        await rig.run(for: 0.25)
        view.repeatCount = .once
        await rig.settle()
        #expect(rig.shown == 0)
        #expect(await rig.run(for: 1) == ["0.35: 1", "0.45: 2"])
        #expect(rig.events == ["loop 1", "end"])
    }

    @Test func waitsToBeStartedWhenAsked() async throws {
        let source = StubFrames([0.1, 0.1])
        view.autoPlayAnimatedImage = false
        try await rig.play(source)
        #expect(!view.animates && view.nextFrameTime == nil && rig.shown == 0)
        #expect(source.log.decoded.isEmpty)
        view.animates = true
        await rig.settle()
        #expect(await rig.run(for: 0.1) == ["0.1: 1"])
        view.animates = false
        #expect(await rig.run(for: 1).isEmpty && rig.shown == 1)
    }

    @Test("Hidden, off screen or stopped: no frame is asked for and none decoded; it goes on where it was")
    func rests() async throws {
        let source = StubFrames(Array(repeating: 1, count: 30))
        view.framePreloadCount = 2
        let image = try source.image()
        rig.renderer.display.isVisible = false
        view.image = image
        await rig.settle()
        #expect(source.log.decoded.isEmpty && view.nextFrameTime == nil)
        rig.show(true)
        await rig.settle()
        #expect(await rig.run(for: 1.5) == ["1.0: 1"])
        let pauses: [(@MainActor () -> Void, @MainActor () -> Void)] = [
            ({ rig.show(false) }, { rig.show(true) }), ({ view.isHidden = true }, { view.isHidden = false }),
            ({ view.stopAnimating() }, { view.startAnimating() }),
        ]
        for (pause, goOn) in pauses {
            let log = source.log.decoded
            pause()
            #expect(view.nextFrameTime == nil)
            await rig.look(after: 100)
            #expect(source.log.decoded == log)
            goOn()
            await rig.settle()
            #expect(view.nextFrameTime == rig.now + 0.5)
        }
        #expect(await rig.run(for: 0.5) == ["302.0: 2"])
    }

    @Test("A late frame leaves the one before in its place, and nobody waits for it but the view")
    func lateFrame() async throws {
        let source = StubFrames([0.1, 0.1, 0.1])
        let image = try source.image()
        source.close()
        view.image = image
        #expect(rig.shown == 0)
        await rig.run(for: 0.7, settling: false)
        #expect(rig.shown == 0 && view.nextFrameTime == nil && view.isAnimating)
        source.open()
        await rig.settle()
        #expect(rig.shown == 1)
        // The time of the wait has not been used up by the frames that came after it.
        #expect(view.nextFrameTime == rig.now + 0.1)
    }

    @Test func aViewThatLeavesWhileItWaitsGoesOnLater() async throws {
        let source = StubFrames([0.1, 0.1, 0.1])
        let image = try source.image()
        source.close()
        view.image = image
        await rig.run(for: 0.3, settling: false)
        rig.show(false)
        source.open()
        await rig.settle()
        rig.show(true)
        await rig.settle()
        await rig.settle()
        #expect(rig.shown == 1)
        #expect(await rig.run(for: 0.1).count == 1)
    }

    @Test("A frame that cannot be decoded keeps its time but not the view", arguments: [[1], [1, 2], [2]])
    func brokenFrames(broken: [Int]) async throws {
        let source = StubFrames([0.1, 0.1, 0.1], broken: Set(broken))
        try await rig.play(source)
        let shows = await rig.run(for: 30)
        #expect(view.isAnimating && rig.events.count == 100)
        #expect(broken.allSatisfy { source.log.decoded[$0] == 1 })
        #expect(Set(shows.compactMap { $0.split(separator: " ").last }).count == (broken.count == 2 ? 0 : 2))
    }

    @Test func brokenFramesOfAFile() async throws {
        // Three frames of two pixels, a tenth of a second each; the second one's codes end before the pixels
        // do.
        let head = Data("GIF89a".utf8) + [2, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        let frames = [[0x4C, 0x0A], [0x2C, 0x00], [0x4C, 0x0A]].map { (codes: [UInt8]) in
            Data([0x2C, 0, 0, 0, 0, 2, 0, 1, 0, 0, 2, 2] + codes + [0])
        }
        let data = frames.reduce(head, +) + [0x3B]
        let image = try #require(KingfisherWrapper<Image>.image(data: data, options: .init()))
        #expect(image.kf.imageFrameCount == 3 && image.kf.frameSource?.frame(at: 1) == nil)
        view.image = image
        await rig.settle()
        await rig.run(for: 20)
        #expect(view.isAnimating && rig.events.last == "loop 66")
    }

    @Test func decodesOnTheMainThreadWhenAsked() async throws {
        let source = StubFrames([0.1, 0.1, 0.1])
        view.backgroundDecode = false
        view.image = try source.image()
        #expect(source.log.decoded == [0: 1])
        let shows = await rig.run(for: 0.3, settling: false)
        #expect(shows == ["0.1: 1", "0.2: 2", "0.3: 0"])
    }

    @Test func aStillImageHasNoAnimator() async throws {
        try await rig.play(StubFrames([0.1, 0.1]))
        view.image = try .blank()
        #expect(view.animator == nil && !view.isAnimating && view.displayedImage === view.image)
        #expect(rig.budget.used == 0)
    }

    @Test func playsImagesThatHoldTheirFrames() async throws {
        view.repeatCount = .once
        let frames = [try Image.blank(), try Image.blank()]
        view.image = Image.animatedImage(with: frames, duration: 1)
        #expect(view.animator == nil && view.isAnimating)
        await rig.run(for: 1)
        #expect(rig.events == ["loop 1", "end"])
    }

    @Test func frameCountsOfOne() async throws {
        try await rig.play(StubFrames([0.1]))
        #expect(!view.isAnimating && view.nextFrameTime == nil && rig.shown == 0)
    }

    @Test func loadsWithoutDecodingAhead() async throws {
        let bench = try Bench(serving: TestImages.gif)
        let loading = ImageViewLoadingRig(bench)
        let image = try await loading.load(in: view).result().get().image
        #expect(image.images == nil && image.kf.frameSource != nil && view.animator != nil)
    }

    @Test func purging() async throws {
        let source = StubFrames(Array(repeating: 0.1, count: 5))
        try await rig.play(source)
        let bytes = rig.budget.used
        view.purgeFrames()
        await view.animator?.drain()
        #expect(rig.budget.used < bytes && view.animator?.currentFrameImage?.number == 0)
        #expect(await rig.run(for: 0.1) == ["0.1: 1"])
        _ = rig.renderer.takeChanges()
        view.purgeFrames(keepCurrentFrame: false)
        #expect(view.displayedImage === view.image)
        #expect(rig.renderer.takeChanges() == [.content])
        await rig.run(for: 0.1)
        #expect(rig.shown == 2)
    }

    @Test(arguments: [false, true])
    func purgesOffScreenWhenAsked(asked: Bool) async throws {
        view.purgeFramesOnBackground = asked
        try await rig.play(StubFrames(Array(repeating: 0.1, count: 5)))
        rig.show(false)
        await view.animator?.drain()
        let animator = try #require(view.animator)
        #expect((0..<5).map { animator.frame(at: $0) != nil } == (0..<5).map { !asked || $0 == 0 })
        #expect(rig.shown == 0)
    }

    @Test func framesAreShrunkToTheView() async throws {
        let source = StubFrames([0.1, 0.1, 0.1], width: 400, height: 400)
        try await rig.play(source)
        await rig.run(for: 0.1)
        #expect(source.log.sizes == [PixelSize(width: 100, height: 100)])
        // Fewer pixels, but as many points as the image has.
        #expect(view.displayedImage?.size == CGSize(width: 400, height: 400))

        rig.renderer.display.scaleFactor = 2
        view.displayDidChange()
        #expect(rig.shown == 1)
        await rig.settle()
        #expect(view.displayedImage?.pixels?.width == 200)
        rig.renderer.display.size = CGSize(width: 50, height: 50)
        view.displayDidChange()
        await rig.run(for: 1)
        #expect(source.log.sizes.count == 2)
        view.needsPrescaling = false
        await rig.settle()
        #expect(view.displayedImage?.pixels?.width == 400)
    }

    @Test func aViewThatGrowsWhileItRestsIsSharp() async throws {
        view.repeatCount = .once
        let source = StubFrames([0.1, 0.1, 0.1], width: 400, height: 400)
        try await rig.play(source)
        await rig.run(for: 1)
        let decoded = source.log.decoded
        rig.renderer.display.size = CGSize(width: 300, height: 300)
        view.displayDidChange()
        await rig.settle()
        #expect(rig.shown == 2 && (view.displayedImage?.pixels?.width ?? 0) >= 300)
        #expect(source.log.decoded == decoded.merging([2: 1], uniquingKeysWith: +))
    }

    @Test func anAnimationThatEndsWhileItsLastFrameIsDecodedAnewIsSharp() async throws {
        view.repeatCount = .once
        let source = StubFrames([0.1, 0.1, 0.1], width: 400, height: 400)
        try await rig.play(source)
        await rig.run(for: 0.25)
        source.close()
        rig.renderer.display.size = CGSize(width: 300, height: 300)
        view.displayDidChange()
        // One look, and no other one unless the view asks for it.
        rig.renderer.manualClock.advance(by: 0.1)
        view.advance()
        #expect(rig.events == ["loop 1", "end"] && view.displayedImage?.pixels?.width == 100)
        source.open()
        await rig.settle()
        await rig.settle()
        #expect(rig.shown == 2 && (view.displayedImage?.pixels?.width ?? 0) >= 300)
    }

    @Test("Who hears of a loop may change the image, and hears no more of the old one")
    func anotherImageInTheMidstOfEvents() async throws {
        let next = try StubFrames([0.1, 0.1]).image()
        let recorder = Replacing(next)
        view.delegate = recorder
        try await rig.play(StubFrames([0.1, 0.1]))
        // Three loops in one look.
        await rig.look(after: 0.65)
        #expect(recorder.loops == [1] && view.image === next)
        await rig.run(for: 0.2)
        #expect(recorder.loops == [1, 1])
    }

    private final class Replacing: AnimatedImageViewDelegate {
        private let next: Image
        private(set) var loops: [UInt] = []

        init(_ next: Image) {
            self.next = next
        }

        func animatedImageView(_ imageView: AnimatedImageView, didPlayAnimationLoops count: UInt) {
            loops.append(count)
            imageView.image = next
        }
    }

    @Test func aViewThatGoesLeavesNothing() async throws {
        weak var gone: AnimatedImageView?
        do {
            let view = AnimatedImageView()
            gone = view
            view.frameBudget = rig.budget
            view.renderer = RecordingRenderer()
            view.image = try StubFrames([0.1, 0.1]).image()
            await view.animator?.drain()
            #expect(rig.budget.used > 0)
        }
        await passMainQueue()
        #expect(gone == nil)
        let budget = rig.budget
        #expect(await poll { @Sendable in budget.used == 0 })
    }
}

import Foundation
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// An animated image view plays frames that are decoded shortly before they are due.
@Suite @MainActor struct AnimationViewTests {
    private let rig = AnimationRig()
    private var view: AnimatedImageView { rig.view }

    @Test("Each frame is shown at its time") func frameTimes() async throws {
        try await rig.play(StubFrames([0.1, 0.2, 0.3]))
        #expect(rig.shown == 0)
        let shows = await rig.run(for: 1.2)
        #expect(shows == ["0.1: 1", "0.3: 2", "0.6: 0", "0.7: 1", "0.9: 2", "1.2: 0"])
        #expect(view.animator?.currentFrameIndex == 0 && view.animator?.currentFrameDuration == 0.1)
        #expect(rig.events == ["loop 1", "loop 2"])
    }

    @Test("A file plays with its frames and delays") func file() async throws {
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
        // The first frame of the first loop was not counted; that of the second loop was.
        #expect(times == [10, 10, 2, 7, 100, 10])
    }

    @Test(
        "The repeat count limits the loops",
        arguments: [
            (AnimatedImageView.RepeatCount.once, ["loop 1", "end"]),
            (.finite(count: 2), ["loop 1", "loop 2", "end"]), (.finite(count: 0), []),
        ])
    func repeatCount(count: AnimatedImageView.RepeatCount, events: [String]) async throws {
        view.repeatCount = count
        try await rig.play(StubFrames([0.1, 0.1]))
        await rig.run(for: 5)
        #expect(rig.events == events && !view.isAnimating && view.nextFrameTime == nil)
        #expect(rig.shown == (events.isEmpty ? 0 : 1))
    }

    @Test("A finished animation can be started again") func restart() async throws {
        view.repeatCount = .once
        try await rig.play(StubFrames([0.1, 0.1]))
        await rig.run(for: 1)
        view.startAnimating()
        await rig.settle()
        #expect(view.isAnimating && rig.shown == 0)
        await rig.run(for: 1)
        #expect(rig.events == ["loop 1", "end", "loop 1", "end"])
    }

    @Test("A new repeat count restarts the animation") func newRepeatCount() async throws {
        try await rig.play(StubFrames([0.1, 0.1, 0.1]))
        await rig.run(for: 0.25)
        view.repeatCount = .once
        await rig.settle()
        #expect(rig.shown == 0)
        #expect(await rig.run(for: 1) == ["0.35: 1", "0.45: 2"])
        #expect(rig.events == ["loop 1", "end"])
    }

    @Test("Without autoplay an animation waits to be started") func withoutAutoplay() async throws {
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

    @Test("A hidden, invisible or stopped view decodes no frames and resumes at the same position")
    func paused() async throws {
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

    @Test("A late frame leaves the previous one in place and delays only the view")
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
        // The waiting time is not subtracted from the following frames.
        #expect(view.nextFrameTime == rig.now + 0.1)
    }

    @Test("A view that becomes invisible during a wait resumes later") func invisibleDuringWait() async throws
    {
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

    @Test(
        "A frame that cannot be decoded uses its time but leaves the previous one in place",
        arguments: [[1], [1, 2], [2]])
    func corruptFrames(broken: [Int]) async throws {
        let source = StubFrames([0.1, 0.1, 0.1], broken: Set(broken))
        try await rig.play(source)
        let shows = await rig.run(for: 30)
        #expect(view.isAnimating && rig.events.count == 100)
        #expect(broken.allSatisfy { source.log.decoded[$0] == 1 })
        #expect(Set(shows.compactMap { $0.split(separator: " ").last }).count == (broken.count == 2 ? 0 : 2))
    }

    @Test("Corrupt frames of a file are skipped") func corruptFile() async throws {
        // Three frames of two pixels, a tenth of a second each; the codes of the second end before its
        // pixels.
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

    @Test("On request frames are decoded on the main thread") func mainThread() async throws {
        let source = StubFrames([0.1, 0.1, 0.1])
        view.backgroundDecode = false
        view.image = try source.image()
        #expect(source.log.decoded == [0: 1])
        let shows = await rig.run(for: 0.3, settling: false)
        #expect(shows == ["0.1: 1", "0.2: 2", "0.3: 0"])
    }

    @Test("A still image has no animator") func stillImage() async throws {
        try await rig.play(StubFrames([0.1, 0.1]))
        view.image = try .blank()
        #expect(view.animator == nil && !view.isAnimating && view.displayedImage === view.image)
        #expect(rig.budget.used == 0)
    }

    @Test("An image with preloaded frames plays") func preloadedFrames() async throws {
        view.repeatCount = .once
        let frames = [try Image.blank(), try Image.blank()]
        view.image = Image.animatedImage(with: frames, duration: 1)
        #expect(view.animator == nil && view.isAnimating)
        await rig.run(for: 1)
        #expect(rig.events == ["loop 1", "end"])
    }

    @Test("An animation with one frame does not play") func singleFrame() async throws {
        try await rig.play(StubFrames([0.1]))
        #expect(!view.isAnimating && view.nextFrameTime == nil && rig.shown == 0)
    }

    @Test("A load does not preload all frames") func loading() async throws {
        let bench = try Bench(serving: TestImages.gif)
        let loading = ImageViewLoadingRig(bench)
        let image = try await loading.load(in: view).result().get().image
        #expect(image.images == nil && image.kf.frameSource != nil && view.animator != nil)
    }

    @Test("A purge releases frames and playing continues") func purging() async throws {
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

    @Test("An invisible view purges its frames only on request", arguments: [false, true])
    func purgeInBackground(asked: Bool) async throws {
        view.purgeFramesOnBackground = asked
        try await rig.play(StubFrames(Array(repeating: 0.1, count: 5)))
        rig.show(false)
        await view.animator?.drain()
        let animator = try #require(view.animator)
        #expect((0..<5).map { animator.frame(at: $0) != nil } == (0..<5).map { !asked || $0 == 0 })
        #expect(rig.shown == 0)
    }

    @Test("Frames are shrunk to the view") func shrinking() async throws {
        let source = StubFrames([0.1, 0.1, 0.1], width: 400, height: 400)
        try await rig.play(source)
        await rig.run(for: 0.1)
        #expect(source.log.sizes == [PixelSize(width: 100, height: 100)])
        // Fewer pixels, but the same size in points.
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

    @Test("A view that grows while paused shows larger frames") func growingWhilePaused() async throws {
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

    @Test("The last frame is decoded again if the view grows at the end") func growingAtTheEnd() async throws
    {
        view.repeatCount = .once
        let source = StubFrames([0.1, 0.1, 0.1], width: 400, height: 400)
        try await rig.play(source)
        await rig.run(for: 0.25)
        source.close()
        rig.renderer.display.size = CGSize(width: 300, height: 300)
        view.displayDidChange()
        // One advance only, unless the view requests another.
        rig.renderer.advance(view, by: 0.1)
        #expect(rig.events == ["loop 1", "end"] && view.displayedImage?.pixels?.width == 100)
        source.open()
        await rig.settle()
        await rig.settle()
        #expect(rig.shown == 2 && (view.displayedImage?.pixels?.width ?? 0) >= 300)
    }

    @Test("A delegate may change the image during a loop, and receives no more events of the old one")
    func newImageDuringEvents() async throws {
        let next = try StubFrames([0.1, 0.1]).image()
        let recorder = ReplacingDelegate(next)
        view.delegate = recorder
        try await rig.play(StubFrames([0.1, 0.1]))
        // Three loops in one advance.
        await rig.look(after: 0.65)
        #expect(recorder.loops == [1] && view.image === next)
        await rig.run(for: 0.2)
        #expect(recorder.loops == [1, 1])
    }

    private final class ReplacingDelegate: AnimatedImageViewDelegate {
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

    @Test("A released view releases its frames") func releasedView() async throws {
        weak var weakReference: AnimatedImageView?
        do {
            let view = AnimatedImageView()
            weakReference = view
            view.frameBudget = rig.budget
            view.renderer = RecordingRenderer()
            view.image = try StubFrames([0.1, 0.1]).image()
            await view.animator?.drain()
            #expect(rig.budget.used > 0)
        }
        #expect(await poll { weakReference == nil })
        let budget = rig.budget
        #expect(await poll { @Sendable in budget.used == 0 })
    }
}

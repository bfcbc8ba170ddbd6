import Foundation
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// Rate, seeks and hover of an animated image view.
@Suite @MainActor struct PlaybackControlTests {
    private let rig = AnimationRig()
    private var view: AnimatedImageView { rig.view }

    // MARK: Rate

    @Test("At twice the rate each frame takes half its time") func doubleRate() async throws {
        view.playbackRate = 2
        try await rig.play(StubFrames([0.1, 0.2, 0.3]))
        #expect(await rig.run(for: 0.45) == ["0.05: 1", "0.15: 2", "0.3: 0", "0.35: 1", "0.45: 2"])
        #expect(rig.events == ["loop 1"])
    }

    @Test("A new rate applies to the rest of the current frame") func newRate() async throws {
        try await rig.play(StubFrames([1, 1, 1]))
        rig.renderer.manualClock.advance(by: 0.5)
        view.playbackRate = 2
        #expect(view.nextFrameTime == rig.now + 0.25)
        rig.renderer.manualClock.advance(by: 0.125)
        view.playbackRate = 0.5
        #expect(view.nextFrameTime == rig.now + 0.5)
    }

    @Test("Rate 0 pauses, and the animation continues at the same position") func rateZero() async throws {
        try await rig.play(StubFrames([1, 1, 1]))
        await rig.run(for: 1.5)
        view.playbackRate = 0
        #expect(view.nextFrameTime == nil)
        await rig.look(after: 100)
        #expect(rig.shown == 1 && view.playbackPosition == 1.5)
        view.playbackRate = 1
        #expect(view.nextFrameTime == rig.now + 0.5)
    }

    @Test("A frame that arrives at rate 0 is shown once the rate is positive") func arrivalAtRateZero()
        async throws
    {
        let source = StubFrames([0.1, 0.1, 0.1])
        let image = try source.image()
        source.close()
        view.image = image
        await rig.run(for: 0.2, settling: false)
        view.playbackRate = 0
        source.open()
        await rig.settle()
        #expect(rig.shown == 0 && view.nextFrameTime == nil)
        view.playbackRate = 1
        await rig.settle()
        #expect(rig.shown == 1)
    }

    @Test(
        "An invalid rate is clamped",
        arguments: [(-1, 0), (.nan, 0), (.infinity, 100), (1e9, 100), (0.5, 0.5)] as [(Double, Double)])
    func invalidRates(rate: Double, expected: Double) {
        view.playbackRate = rate
        #expect(view.playbackRate == expected)
    }

    @Test("The rate applies to the next image, and after a new repeat count") func rateStays() async throws {
        view.playbackRate = 2
        try await rig.play(StubFrames([1, 1]))
        try await rig.play(StubFrames([1, 1]))
        #expect(view.nextFrameTime == rig.now + 0.5)
        view.repeatCount = .once
        #expect(view.nextFrameTime == rig.now + 0.5)
    }

    // MARK: Pauses

    @Test("A pause within a frame keeps the time that the frame was shown") func pauseWithinAFrame()
        async throws
    {
        try await rig.play(StubFrames([1, 1]))
        // Without a call of `advance`, because a toolkit calls it only for changes.
        rig.renderer.manualClock.advance(by: 0.25)
        view.stopAnimating()
        rig.renderer.manualClock.advance(by: 50)
        view.startAnimating()
        #expect(view.nextFrameTime == rig.now + 0.75)
        rig.renderer.manualClock.advance(by: 0.25)
        rig.show(false)
        rig.renderer.manualClock.advance(by: 50)
        rig.show(true)
        #expect(view.nextFrameTime == rig.now + 0.5)
    }

    @Test("The position and the frames of an animation are known") func position() async throws {
        #expect(view.frameCount == 0 && view.playbackDuration == 0 && view.playbackPosition == 0)
        try await rig.play(StubFrames([1, 2, 3]))
        #expect(view.frameCount == 3 && view.playbackDuration == 6)
        await rig.run(for: 7.5)
        rig.renderer.manualClock.advance(by: 0.25)
        #expect(view.playbackPosition == 1.75 && view.currentFrameIndex == 1)
    }

    // MARK: Seeks

    @Test("A seek while playing continues at the new position") func seekWhilePlaying() async throws {
        try await rig.play(StubFrames([0.1, 0.2, 0.3]))
        await rig.run(for: 0.05)
        view.seek(toFrame: 2)
        await rig.settle()
        #expect(rig.shown == 2 && rig.events.isEmpty)
        #expect(await rig.run(for: 0.4) == ["0.35: 0", "0.45: 1"])
        #expect(rig.events == ["loop 1"])
        view.seek(to: 0.2)
        await rig.settle()
        let next = try #require(view.nextFrameTime)
        #expect(rig.shown == 1 && abs(next - rig.now - 0.1) < 1e-9)
        #expect(view.animator?.currentFrameIndex == 1)
    }

    @Test("A seek while paused shows the frame and does not play") func seekWhilePaused() async throws {
        let source = StubFrames(Array(repeating: 1, count: 20))
        view.framePreloadCount = 2
        view.autoPlayAnimatedImage = false
        try await rig.play(source)
        view.seek(toFrame: 12)
        await rig.settle()
        #expect(rig.shown == 12 && !view.isAnimating && view.nextFrameTime == nil)
        #expect(source.log.decoded == [12: 1])
        view.seek(toFrame: 5)
        await rig.settle()
        #expect(rig.shown == 5 && source.log.decoded == [12: 1, 5: 1])
        view.startAnimating()
        await rig.settle()
        #expect(await rig.run(for: 1) == ["1.0: 6"])
    }

    @Test("Until the frame is decoded, the previous one stays and no time passes", arguments: [true, false])
    func pendingSeek(plays: Bool) async throws {
        let source = StubFrames(Array(repeating: 1, count: 20))
        view.framePreloadCount = 1
        try await rig.play(source)
        if !plays { view.stopAnimating() }
        source.close()
        view.seek(toFrame: 9)
        #expect(rig.shown == 0 && view.currentFrameIndex == 9 && view.nextFrameTime == nil)
        await rig.run(for: 30, settling: false)
        #expect(rig.shown == 0 && rig.events.isEmpty)
        source.open()
        await rig.settle()
        #expect(rig.shown == 9)
        #expect(view.nextFrameTime == (plays ? rig.now + 1 : nil))
    }

    @Test("Of many seeks in a row, the last one is shown") func scrubbing() async throws {
        let source = StubFrames(Array(repeating: 1, count: 100))
        view.framePreloadCount = 0
        try await rig.play(source)
        view.stopAnimating()
        source.close()
        for index in 1..<90 { view.seek(toFrame: index) }
        source.open()
        await rig.settle()
        await rig.settle()
        #expect(rig.shown == 89)
        #expect(source.log.decoded.count <= 3, "\(source.log.decoded)")
    }

    @Test("A seek of a view that is not on screen decodes nothing until it is") func seekOffScreen()
        async throws
    {
        let source = StubFrames([1, 1, 1, 1])
        rig.renderer.display.isVisible = false
        view.autoPlayAnimatedImage = false
        try await rig.play(source)
        view.seek(toFrame: 2)
        await rig.settle()
        #expect(source.log.decoded.isEmpty && view.currentFrameIndex == 2)
        rig.show(true)
        await rig.settle()
        #expect(rig.shown == 2 && source.log.decoded == [2: 1])
    }

    @Test("A seek after the end stays paused; starting plays the rest of the last loop")
    func seekAfterTheEnd() async throws {
        view.repeatCount = .finite(count: 2)
        try await rig.play(StubFrames([0.1, 0.1, 0.1]))
        await rig.run(for: 1)
        #expect(rig.events == ["loop 1", "loop 2", "end"])
        view.seek(toFrame: 1)
        await rig.settle()
        #expect(rig.shown == 1 && !view.isAnimating && view.nextFrameTime == nil)
        view.startAnimating()
        await rig.settle()
        #expect(await rig.run(for: 1) == ["1.1: 2"])
        #expect(rig.events == ["loop 1", "loop 2", "end", "loop 2", "end"])
    }

    @Test("A seek to a corrupt frame leaves the previous one in place and playing continues")
    func corruptFrame() async throws {
        try await rig.play(StubFrames([0.1, 0.1, 0.1], broken: [2]))
        view.seek(toFrame: 2)
        await rig.settle()
        #expect(rig.shown == 0 && view.currentFrameIndex == 2)
        await rig.run(for: 0.1)
        #expect(rig.events == ["loop 1"])
    }

    @Test("A plain view seeks in preloaded frames; a view without an animation ignores a seek")
    func plainView() throws {
        let (view, renderer) = (ImageView(), RecordingRenderer())
        view.renderer = renderer
        let frames = try (0..<3).map { _ in try Image.blank() }
        view.image = Image.animatedImage(with: frames, duration: 3)
        _ = renderer.takeChanges()
        view.seek(to: 2.25)
        #expect(view.displayedImage === frames[2] && view.playbackPosition == 2.25)
        #expect(renderer.takeChanges().contains(.content))
        view.image = frames[0]
        view.seek(toFrame: 1)
        #expect(view.displayedImage === frames[0] && view.frameCount == 0 && view.currentFrameIndex == 0)
    }

    // MARK: Hover

    @Test("On hover only, a view plays while it is hovered, and pauses in between") func hover() async throws
    {
        let source = StubFrames([1, 1, 1])
        view.playsOnHover = true
        try await rig.play(source)
        #expect(view.nextFrameTime == nil && rig.shown == 0 && source.log.decoded.isEmpty)
        view.isHovered = true
        await rig.settle()
        #expect(await rig.run(for: 1.5) == ["1.0: 1"])
        view.isHovered = false
        #expect(view.nextFrameTime == nil)
        await rig.look(after: 100)
        #expect(rig.shown == 1)
        view.isHovered = true
        #expect(view.nextFrameTime == rig.now + 0.5)
        view.stopAnimating()
        #expect(view.nextFrameTime == nil)
        view.isHovered = false
        view.playsOnHover = false
        view.startAnimating()
        #expect(view.nextFrameTime == rig.now + 0.5)
    }
}

import Foundation
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// Views of a user who has turned animations off.
@Suite @MainActor struct ReducedMotionTests {
    private let rig = AnimationRig()
    private var view: AnimatedImageView { rig.view }

    private func setMotion(_ isOn: Bool) {
        rig.renderer.environment.reducesMotion = !isOn
        view.environmentDidChange()
    }

    @Test("Without motion an animation shows its first frame and decodes nothing") func firstFrame()
        async throws
    {
        let source = StubFrames([0.1, 0.1, 0.1])
        setMotion(false)
        try await rig.play(source)
        #expect(!view.allowsMotion && view.isAnimating && view.nextFrameTime == nil)
        #expect(view.displayedImage === view.image && source.log.decoded.isEmpty)
        await rig.look(after: 10)
        #expect(rig.shown == 0 && rig.events.isEmpty)
    }

    @Test("Turning motion off shows the first frame at once; turning it on plays from there")
    func changeAtRunTime() async throws {
        try await rig.play(StubFrames([0.1, 0.1, 0.1]))
        await rig.run(for: 0.2)
        try #require(rig.shown == 2)
        _ = rig.renderer.takeChanges()
        setMotion(false)
        #expect(rig.shown == 0 && view.nextFrameTime == nil)
        #expect(rig.renderer.takeChanges().contains(.content))
        await rig.look(after: 10)
        #expect(rig.shown == 0 && view.currentFrameIndex == 0)
        setMotion(true)
        await rig.settle()
        #expect(await rig.run(for: 0.1) == ["10.3: 1"])
    }

    @Test("The first frame is shown even if it is no longer decoded") func evictedFirstFrame() async throws {
        let source = StubFrames(Array(repeating: 0.1, count: 30))
        view.framePreloadCount = 1
        try await rig.play(source)
        await rig.run(for: 0.5)
        rig.budget.trim(to: 0)
        source.close()
        setMotion(false)
        #expect(view.displayedImage === view.image)
        source.open()
        await rig.settle()
        #expect(rig.shown == 0)
    }

    @Test("A paused animation, and one that has ended, keep their frame", arguments: [true, false])
    func stillFrames(ends: Bool) async throws {
        view.repeatCount = .once
        try await rig.play(StubFrames([0.1, 0.1]))
        await rig.run(for: ends ? 1 : 0.1)
        if !ends { view.stopAnimating() }
        setMotion(false)
        #expect(rig.shown == 1)
    }

    @Test("startAnimating does not ask for motion; the policy .always does") func askForMotion() async throws
    {
        setMotion(false)
        try await rig.play(StubFrames([1, 1, 1]))
        view.startAnimating()
        await rig.settle()
        #expect(view.nextFrameTime == nil)
        view.motion = .always
        await rig.settle()
        #expect(view.allowsMotion && view.nextFrameTime == rig.now + 1)
        await rig.run(for: 1)
        view.motion = .followsSystem
        #expect(rig.shown == 0 && view.nextFrameTime == nil)
    }

    @Test("The policy of a superview applies to its subviews, also to one that is added later")
    func policyOfSuperview() async throws {
        setMotion(false)
        try await rig.play(StubFrames([1, 1, 1]))
        let (top, middle) = (View(), View())
        top.addSubview(middle)
        top.motion = .always
        middle.addSubview(view)
        await rig.settle()
        #expect(view.allowsMotion && view.nextFrameTime == rig.now + 1)
        top.motion = .followsSystem
        #expect(!view.allowsMotion && view.nextFrameTime == nil)
        top.motion = .always
        #expect(view.nextFrameTime != nil)
        view.removeFromSuperview()
        #expect(!view.allowsMotion && view.nextFrameTime == nil)
    }

    @Test("A seek shows its frame without motion") func seek() async throws {
        setMotion(false)
        try await rig.play(StubFrames([1, 1, 1]))
        view.seek(toFrame: 2)
        await rig.settle()
        #expect(rig.shown == 2 && view.nextFrameTime == nil)
    }

    @Test("An image indicator shows its first frame") func imageIndicator() async throws {
        let host = ImageView()
        host.kf.indicatorType = .image(imageData: try TestImages.gif)
        let indicator = try #require(host.kf.indicator?.view as? AnimatedImageView)
        let renderer = RecordingRenderer()
        renderer.environment.reducesMotion = true
        indicator.renderer = renderer
        indicator.environmentDidChange()
        host.kf.indicator?.startAnimatingView()
        await indicator.animator?.drain()
        #expect(!indicator.isHidden && indicator.nextFrameTime == nil)
        #expect(indicator.displayedImage === indicator.image)
        host.motion = .always
        #expect(indicator.nextFrameTime != nil)
    }

    // MARK: Transitions

    @Test("Without motion a transition ends at once, unless the view asks for motion") func transition()
        throws
    {
        setMotion(false)
        let image = try Image.blank()
        var ends: [Bool] = []
        view.transition(.fade(1), changes: { view.image = image }, completion: { ends.append($0) })
        #expect(ends == [true] && view.runningTransition == nil && view.image === image)
        view.motion = .always
        view.transition(.fade(1), changes: { view.image = nil }, completion: { ends.append($0) })
        #expect(ends == [true] && view.runningTransition != nil)
    }

    @Test("Turning motion off ends a running transition, which counts as finished") func runningTransition()
        throws
    {
        var ends: [Bool] = []
        view.transition(.fade(1), changes: { view.image = try? .blank() }, completion: { ends.append($0) })
        try #require(view.runningTransition != nil)
        setMotion(false)
        #expect(ends == [true] && view.runningTransition == nil && view.transitionProgress == 1)
    }

    @Test(
        "In a right-to-left layout flips from the left and the right are exchanged",
        arguments: [
            (ImageTransition.flipFromLeft(1), FlipDirection.fromRight), (.flipFromRight(1), .fromLeft),
            (.flipFromTop(1), .fromTop), (.flipFromBottom(1), .fromBottom),
            (
                .custom(duration: 1, options: .transitionFlipFromLeft, animations: nil, completion: nil),
                .fromRight
            ),
        ])
    func rightToLeft(kind: ImageTransition, expected: FlipDirection) throws {
        rig.renderer.environment.layoutDirection = .rightToLeft
        view.transition(kind, changes: { view.image = try? .blank() })
        #expect(view.runningTransition?.effect == .flip(expected))
    }
}

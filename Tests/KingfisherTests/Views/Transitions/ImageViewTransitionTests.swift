import Foundation
import Kingfisher
import KingfisherTestSupport
import TestHelpers
import Testing

@Suite @MainActor struct ImageViewTransitionTests {
    let view = ImageView()
    let renderer = RecordingRenderer()
    let old: Image
    let new: Image

    init() throws {
        (old, new) = (try .blank(), try .blank())
        view.image = old
        view.renderer = renderer
    }

    private func fade(_ duration: TimeInterval = 2, completion: ((Bool) -> Void)? = nil) {
        view.transition(.fade(duration)) {
            view.image = new
        } completion: {
            completion?($0)
        }
    }

    @Test("A transition follows the clock of the renderer") func rendererClock() throws {
        renderer.manualClock.advance(by: 100)
        var ends: [Bool] = []
        fade { ends.append($0) }
        let transition = try #require(view.runningTransition)
        #expect(transition.originImage === old && transition.image === new)
        #expect(view.image === new)
        #expect(renderer.takeChanges().contains(.animation))

        #expect(view.transitionProgress == 0)
        renderer.manualClock.advance(by: 0.5)
        #expect(view.transitionProgress == 0.25)
        view.advance()
        #expect(ends.isEmpty)
        renderer.advance(view, by: 1.5)
        #expect(ends == [true] && view.runningTransition == nil && view.transitionProgress == 1)
        view.advance()
        #expect(ends == [true])
    }

    @Test("A transition follows the clock of the view if there is one") func viewClock() {
        let clock = ManualAnimationClock()
        view.clock = clock
        fade()
        renderer.manualClock.advance(by: 1)
        #expect(view.transitionProgress == 0)
        clock.advance(by: 1)
        #expect(view.transitionProgress == 0.5)
    }

    @Test("A new image interrupts the transition") func newImage() throws {
        var ends: [Bool] = []
        fade { ends.append($0) }
        let third = try Image.blank()
        view.image = third
        #expect(ends == [false] && view.runningTransition == nil && view.image === third)
    }

    @Test("A new transition interrupts the running one") func newTransition() async throws {
        var ends: [String] = []
        fade { ends.append("first \($0)") }
        let third = try Image.blank()
        view.transition(.fade(1)) {
            view.image = third
        } completion: {
            ends.append("second \($0)")
        }
        #expect(ends == ["first false"])
        #expect(view.runningTransition?.originImage === new && view.runningTransition?.image === third)
        renderer.display.isVisible = false
        view.displayDidChange()
        #expect(view.runningTransition == nil)
        await passMainQueue()
        #expect(ends == ["first false", "second false"])
    }

    @Test("A completion may start another transition") func transitionInCompletion() throws {
        let third = try Image.blank()
        fade { _ in view.transition(.fade(1)) { view.image = third } }
        renderer.advance(view, by: 2)
        #expect(view.runningTransition?.originImage === new && view.runningTransition?.image === third)
    }

    /// A transition interrupted by an animation of `alpha` completes only after that one has started.
    @Test("The completion of an interrupted transition may interrupt the new one")
    func interruptionInCompletion() {
        var ends: [String] = []
        fade {
            ends.append("first \($0)")
            view.transition(.fade(3)) {
            } completion: {
                ends.append("third \($0)")
            }
        }
        view.transition(.fade(1)) {
            view.alpha = 0.5
        } completion: {
            ends.append("second \($0)")
        }
        #expect(ends == ["first false", "second false"])
        #expect(view.runningTransition != nil)
        renderer.advance(view, by: 3)
        #expect(ends == ["first false", "second false", "third true"])
    }

    @Test("A transition that makes the view invisible ends immediately") func becomesInvisible() {
        var ends: [Bool] = []
        view.transition(.fade(1)) {
            renderer.canAnimate = false
        } completion: {
            ends.append($0)
        }
        #expect(ends == [true] && view.runningTransition == nil)
    }

    @Test("A transition requests each frame while it runs, and none afterwards") func frames() {
        #expect(view.nextFrameTime == nil)
        fade()
        for _ in 0..<3 {
            #expect(view.nextFrameTime == renderer.manualClock.now)
            renderer.advance(view, by: 0.5)
        }
        renderer.advance(view, by: 0.5)
        #expect(view.nextFrameTime == nil)
        fade()
        view.image = old
        #expect(view.nextFrameTime == nil)
    }

    @Test("A transition starts with a snapshot of the view if it has visible subviews") func snapshots()
        throws
    {
        let (subview, snapshot) = (View(), BlankSnapshot())
        renderer.storedSnapshot = snapshot
        view.addSubview(subview)
        view.transition(.fade(1)) { subview.removeFromSuperview() }
        #expect(view.runningTransition?.originSnapshot === snapshot)

        // Without visible subviews the image itself is used, so that it can be fitted again.
        view.transition(.fade(1)) {}
        #expect(view.runningTransition?.originImage === old)
        view.addSubview(subview)
        subview.isHidden = true
        view.transition(.fade(1)) {}
        #expect(view.runningTransition?.originImage === old)

        // The same applies if the toolkit has no snapshot.
        subview.isHidden = false
        renderer.storedSnapshot = nil
        view.transition(.fade(1)) {}
        #expect(view.runningTransition?.originImage === old)
    }

    @Test("Without a visible renderer a transition ends immediately") func withoutRenderer() {
        var ends: [Bool] = []
        renderer.canAnimate = false
        fade { ends.append($0) }
        view.renderer = nil
        fade { ends.append($0) }
        #expect(ends == [true, true] && view.runningTransition == nil && view.image === new)
    }

    @Test(
        "A transition without a duration ends immediately",
        arguments: [ImageTransition.none, .fade(0), .fade(-1), .flipFromTop(0), .fade(.nan)])
    func withoutDuration(_ kind: ImageTransition) {
        var ends: [Bool] = []
        view.transition(kind) {
            view.image = new
        } completion: {
            ends.append($0)
        }
        #expect(ends == [true] && view.runningTransition == nil)
    }

    @Test("A released view completes its transition") func releasedView() async {
        let renderer = renderer
        let new = new
        let finished = await withCheckedContinuation { continuation in
            let view = ImageView(image: old)
            view.renderer = renderer
            view.transition(.fade(1)) {
                view.image = new
            } completion: {
                continuation.resume(returning: $0)
            }
        }
        #expect(!finished)
    }

    @Test("An image of another size requests a layout") func layout() throws {
        _ = renderer.takeChanges()
        view.image = new
        #expect(renderer.takeChanges() == [.content])
        view.image = try .blank(width: 9, height: 4)
        #expect(renderer.takeChanges() == [.size])
        view.image = view.image
        view.contentMode = .center
        #expect(renderer.takeChanges() == [.content])
    }
}

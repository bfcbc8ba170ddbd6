import Foundation
import Kingfisher
import KingfisherTestSupport
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

    @Test func runsWithTheToolkitsClock() throws {
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
        renderer.manualClock.advance(by: 1.5)
        view.advance()
        #expect(ends == [true] && view.runningTransition == nil && view.transitionProgress == 1)
        view.advance()
        #expect(ends == [true])
    }

    @Test func runsWithItsOwnClockIfItHasOne() {
        let clock = ManualAnimationClock()
        view.clock = clock
        fade()
        renderer.manualClock.advance(by: 1)
        #expect(view.transitionProgress == 0)
        clock.advance(by: 1)
        #expect(view.transitionProgress == 0.5)
    }

    @Test func nextImageCutsItShort() throws {
        var ends: [Bool] = []
        fade { ends.append($0) }
        let third = try Image.blank()
        view.image = third
        #expect(ends == [false] && view.runningTransition == nil && view.image === third)
    }

    @Test func nextTransitionCutsItShort() async throws {
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

    @Test func completionMayStartAnother() throws {
        let third = try Image.blank()
        fade { _ in view.transition(.fade(1)) { view.image = third } }
        renderer.manualClock.advance(by: 2)
        view.advance()
        #expect(view.runningTransition?.originImage === new && view.runningTransition?.image === third)
    }

    /// The one that is cut short by an animation of `alpha` hears of it only when that one is under way.
    @Test func completionMayCutShortWhatCutItShort() {
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
        renderer.manualClock.advance(by: 3)
        view.advance()
        #expect(ends == ["first false", "second false", "third true"])
    }

    @Test func endsAtOnceWhenItTakesTheViewOffTheScreen() {
        var ends: [Bool] = []
        view.transition(.fade(1)) {
            renderer.canAnimate = false
        } completion: {
            ends.append($0)
        }
        #expect(ends == [true] && view.runningTransition == nil)
    }

    @Test func asksForEachFrameWhileItRunsAndForNoneAfter() {
        #expect(view.nextFrameTime == nil)
        fade()
        for _ in 0..<3 {
            #expect(view.nextFrameTime == renderer.manualClock.now)
            renderer.manualClock.advance(by: 0.5)
            view.advance()
        }
        renderer.manualClock.advance(by: 0.5)
        view.advance()
        #expect(view.nextFrameTime == nil)
        fade()
        view.image = old
        #expect(view.nextFrameTime == nil)
    }

    @Test func subviewsAreKeptAsTheyLook() throws {
        let (subview, kept) = (View(), BlankSnapshot())
        renderer.kept = kept
        view.addSubview(subview)
        view.transition(.fade(1)) { subview.removeFromSuperview() }
        #expect(view.runningTransition?.originSnapshot === kept)

        // An image alone, also under a subview that is not seen, stays an image, to be fitted anew.
        view.transition(.fade(1)) {}
        #expect(view.runningTransition?.originImage === old)
        view.addSubview(subview)
        subview.isHidden = true
        view.transition(.fade(1)) {}
        #expect(view.runningTransition?.originImage === old)

        // So does what the toolkit cannot keep.
        subview.isHidden = false
        renderer.kept = nil
        view.transition(.fade(1)) {}
        #expect(view.runningTransition?.originImage === old)
    }

    @Test func endsAtOnceWithoutAScreen() {
        var ends: [Bool] = []
        renderer.canAnimate = false
        fade { ends.append($0) }
        view.renderer = nil
        fade { ends.append($0) }
        #expect(ends == [true, true] && view.runningTransition == nil && view.image === new)
    }

    @Test(arguments: [ImageTransition.none, .fade(0), .fade(-1), .flipFromTop(0), .fade(.nan)])
    func endsAtOnceWithoutDuration(_ kind: ImageTransition) {
        var ends: [Bool] = []
        view.transition(kind) {
            view.image = new
        } completion: {
            ends.append($0)
        }
        #expect(ends == [true] && view.runningTransition == nil)
    }

    @Test func viewThatGoesStillAnswers() async {
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

    @Test func imageOfAnotherSizeAsksForLayout() throws {
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

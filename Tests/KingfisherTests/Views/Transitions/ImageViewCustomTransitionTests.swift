import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// Transitions of `alpha` and `transform`.
@Suite @MainActor struct ImageViewCustomTransitionTests {
    let view = ImageView()
    let renderer = RecordingRenderer()

    init() throws {
        view.image = try .blank()
        view.renderer = renderer
    }

    /// Starts a transition of four seconds to the state of `changes`, and advances it by `time`.
    private func go(_ time: TimeInterval, _ options: AnimationOptions = .curveLinear, changes: () -> Void) {
        view.transition(
            .custom(duration: 4, options: options, animations: nil, completion: nil), changes: changes)
        renderer.manualClock.advance(by: time)
    }

    @Test("Properties have their new values immediately") func properties() {
        go(1) {
            view.alpha = 0.2
            view.transform = CGAffineTransform(translationX: 8, y: -4)
        }
        #expect(view.alpha == 0.2 && view.transform.tx == 8)
        #expect(abs(view.presentation.alpha - 0.8) < 1e-12)
        #expect(view.presentation.transform == CGAffineTransform(translationX: 2, y: -1))
        renderer.advance(view, by: 3)
        #expect(view.presentation == ViewPresentation(alpha: 0.2, transform: view.transform))
    }

    @Test(
        "The curve of the options applies, and the default is ease in and out",
        arguments: zip(
            [AnimationOptions.curveLinear, .curveEaseIn, .curveEaseOut, .curveEaseInOut, []],
            [
                [0.25, 0.5, 0.75], [0.0625, 0.25, 0.5625], [0.4375, 0.75, 0.9375], [0.125, 0.5, 0.875],
                [0.125, 0.5, 0.875],
            ]))
    func curves(_ curve: AnimationOptions, _ expected: [Double]) {
        view.alpha = 0
        go(0, [curve, .transitionCrossDissolve, .allowUserInteraction]) { view.alpha = 1 }
        for progress in expected {
            renderer.manualClock.advance(by: 1)
            #expect(view.transitionProgress == progress && view.presentation.alpha == progress)
        }
    }

    @Test(
        "The options select the effect",
        arguments: zip(
            [
                AnimationOptions.curveEaseIn, .transitionCrossDissolve, .transitionCurlUp,
                .transitionCurlDown,
                .transitionFlipFromLeft, .transitionFlipFromRight, .transitionFlipFromTop,
                .transitionFlipFromBottom,
            ],
            [
                TransitionEffect.none, .crossDissolve, .crossDissolve, .crossDissolve, .flip(.fromLeft),
                .flip(.fromRight), .flip(.fromTop), .flip(.fromBottom),
            ]))
    func effects(_ options: AnimationOptions, _ expected: TransitionEffect) {
        go(1, [options, .curveEaseOut, .preferredFramesPerSecond30]) {}
        #expect(view.runningTransition?.effect == expected)
    }

    @Test("Built-in kinds have their own effect and curve") func builtInKinds() {
        let kinds: [(ImageTransition, TransitionEffect, quarter: Double)] = [
            (.fade(4), .crossDissolve, 0.25), (.flipFromLeft(4), .flip(.fromLeft), 0.125),
            (.flipFromRight(4), .flip(.fromRight), 0.125), (.flipFromTop(4), .flip(.fromTop), 0.125),
            (.flipFromBottom(4), .flip(.fromBottom), 0.125),
        ]
        for (kind, effect, quarter) in kinds {
            view.transition(kind) {}
            renderer.manualClock.advance(by: 1)
            #expect(view.runningTransition?.effect == effect && view.transitionProgress == quarter)
        }
    }

    // MARK: Interpolated transforms

    @Test("A half turn is interpolated as a rotation") func rotation() {
        go(2) { view.transform = CGAffineTransform(rotationAngle: .pi) }
        #expect(view.presentation.transform.isClose(to: CGAffineTransform(rotationAngle: .pi / 2)))
    }

    @Test("A rotation takes the shorter way") func shorterRotation() {
        view.transform = CGAffineTransform(rotationAngle: 3)
        go(2) { view.transform = CGAffineTransform(rotationAngle: -3) }
        #expect(view.presentation.transform.isClose(to: CGAffineTransform(rotationAngle: .pi)))
    }

    @Test("A scale of zero is interpolated") func zeroScale() {
        view.transform = CGAffineTransform(scaleX: 0, y: 0)
        go(1) { view.transform = .identity }
        #expect(view.presentation.transform.isClose(to: CGAffineTransform(scaleX: 0.25, y: 0.25)))
    }

    @Test("Translation, rotation and scale are interpolated together") func combinedParts() {
        view.transform = CGAffineTransform(translationX: 10, y: 0).rotated(by: 1).scaledBy(x: 2, y: 2)
        go(2) { view.transform = .identity }
        let middle = CGAffineTransform(translationX: 5, y: 0).rotated(by: 0.5).scaledBy(x: 1.5, y: 1.5)
        #expect(view.presentation.transform.isClose(to: middle))
    }

    @Test("A reflection to the opposite axis rotates by half a turn") func reflection() {
        view.transform = CGAffineTransform(scaleX: -1, y: 1)
        go(2) { view.transform = CGAffineTransform(scaleX: 1, y: -1) }
        // The view is never seen from its edge.
        let map = view.presentation.transform
        #expect(abs(map.a * map.d - map.b * map.c + 1) < 1e-9)
    }

    @Test("The first and the last transform are exact") func exactEnds() {
        let (first, last) = (
            CGAffineTransform(rotationAngle: 0.1).scaledBy(x: 0.3, y: 0.7),
            CGAffineTransform(rotationAngle: 2)
        )
        view.transform = first
        go(0) { view.transform = last }
        #expect(view.presentation.transform == first)
        renderer.manualClock.advance(by: 4)
        #expect(view.presentation.transform == last)
    }

    // MARK: Changes during a transition

    @Test("A property that is not animated changes immediately") func unanimatedProperty() {
        go(1) { view.transform = CGAffineTransform(translationX: 4, y: 0) }
        view.alpha = 0.5
        #expect(view.presentation.alpha == 0.5 && view.presentation.transform.tx == 1)

        view.transition(.fade(4)) {}
        view.alpha = 0.25
        #expect(view.presentation.alpha == 0.25)
    }

    @Test("An animated property continues to its new end value") func newEndValue() {
        go(2) { view.alpha = 0 }
        #expect(view.presentation.alpha == 0.5)
        view.alpha = 0.8
        #expect(abs(view.presentation.alpha - 0.9) < 1e-12)
        renderer.manualClock.advance(by: 2)
        #expect(view.presentation.alpha == 0.8)
    }

    @Test("The next transition starts at the current state") func nextTransition() {
        go(3) { view.alpha = 0 }
        go(2) { view.alpha = 1 }
        #expect(view.presentation.alpha == 0.625)
    }
}

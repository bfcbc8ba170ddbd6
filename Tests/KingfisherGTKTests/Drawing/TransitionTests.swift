import CGtk
import Kingfisher
@testable import KingfisherGTK
import KingfisherTestSupport
import Testing

extension GTKTests {
    /// Pixels of a fade and of what a custom transition moves.
    @Suite(.serialized) @MainActor struct Transitions {
        let window = TestWindow()
        let view = ImageView()
        let clock = ManualAnimationClock()

        init() { view.clock = clock }

        private var middle: String { Drawing(of: view, width: 8, height: 8)[4, 4] }

        /// A view in a window that begins to fade from blue to red in two seconds.
        private func beginFade() async throws {
            view.image = try .blue
            try #require(await window.present(view))
            let red = try Image.red
            view.transition(.fade(2)) { view.image = red }
        }

        @Test func fade() async throws {
            try await beginFade()
            var seen = [middle]
            for _ in 1...4 {
                clock.advance(by: 0.5)
                seen.append(middle)
            }
            #expect(seen == ["ff0000ff", "ff4000bf", "ff80007f", "ffbf0040", "ffff0000"])
        }

        @Test func fadeFromNothing() async throws {
            try #require(await window.present(view))
            let red = try Image.red
            view.transition(.fade(1)) { view.image = red }
            clock.advance(by: 0.5)
            #expect(middle == "80800000")
        }

        @Test func fadeToNothing() async throws {
            view.image = try .red
            try #require(await window.present(view))
            view.transition(.fade(1)) { view.image = nil }
            clock.advance(by: 0.75)
            #expect(middle == "40400000")
        }

        /// Half-transparent over half-transparent: each weighs what it has.
        @Test func fadeBetweenTranslucentImages() async throws {
            view.image = try .solid([255, 0, 0, 128], format: .rgba8Straight)
            try #require(await window.present(view))
            let green = try Image.solid([0, 255, 0, 255])
            view.transition(.fade(1)) { view.image = green }
            clock.advance(by: 0.5)
            let channels = Drawing(of: view, width: 8, height: 8).channels(4, 4)
            #expect(zip(channels, [192, 64, 128, 0]).allSatisfy { abs($0 - $1) <= 1 }, "\(channels)")
        }

        /// Both images are fitted anew, each by its own proportions.
        @Test func fadeInAViewThatIsFittedAndSizedAnew() async throws {
            view.image = try .solid([0, 0, 255, 255], width: 8, height: 16)
            view.contentMode = .scaleAspectFit
            try #require(await window.present(view))
            let square = try Image.solid([0, 0, 255, 255], width: 16, height: 16)
            view.transition(.fade(2)) { view.image = square }
            #expect(Drawing(of: view, width: 16, height: 16).row(8) == "....BBBBBBBB....")
            #expect(Drawing(of: view, width: 24, height: 8).row(4) == "..........BBBB..........")
            clock.advance(by: 1)
            #expect(Drawing(of: view, width: 16, height: 16).row(8) == "~~~~BBBBBBBB~~~~")
            view.contentMode = .scaleToFill
            #expect(Drawing(of: view, width: 16, height: 16).row(8) == "BBBBBBBBBBBBBBBB")
            view.contentMode = .bottomRight
            #expect(Drawing(of: view, width: 24, height: 16).row(8) == "........~~~~~~~~BBBBBBBB")
            #expect(
                Drawing(of: view, width: 24, height: 16, scale: 2).row(16).filter { $0 == "B" }.count == 16)
        }

        @Test func alphaAndTransformMoveWithTheFade() async throws {
            view.image = try .blue
            try #require(await window.present(view))
            let red = try Image.red
            view.transition(
                .custom(
                    duration: 2, options: [.transitionCrossDissolve, .curveEaseIn], animations: nil,
                    completion: nil)
            ) {
                view.image = red
                view.alpha = 0
                view.transform = CGAffineTransform(scaleX: 0.25, y: 1)
            }
            // Half of the time, a quarter of the way: a quarter red, 3/4 opaque, 13/16 of the breadth.
            clock.advance(by: 1)
            let drawing = Drawing(of: view, width: 32, height: 8)
            #expect(zip(drawing.channels(16, 4), [191, 48, 0, 143]).allSatisfy { abs($0 - $1) <= 1 })
            #expect(drawing.row(4) == "..." + String(repeating: "~", count: 26) + "...")
        }

        @Test func customWithoutAnEffectShowsTheNewImageAtOnce() async throws {
            view.image = try .blue
            try #require(await window.present(view))
            let red = try Image.red
            view.transition(.custom(duration: 2, options: [], animations: nil, completion: nil)) {
                view.image = red
                view.transform = CGAffineTransform(translationX: 4, y: 0)
            }
            clock.advance(by: 1)
            #expect(Drawing(of: view, width: 8, height: 8).row(4) == "..RRRRRR")
        }

        /// What is set while a fade runs is seen at once, not when the fade is over.
        @Test func opacityChangedMeanwhile() async throws {
            try await beginFade()
            clock.advance(by: 1)
            view.alpha = 0
            #expect(middle == "00000000")
        }
    }
}

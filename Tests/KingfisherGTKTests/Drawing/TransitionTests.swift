import CGtk
import Kingfisher
@testable import KingfisherGTK
import KingfisherTestSupport
import Testing

extension GTKTests {
    /// Pixels of fades and of custom transitions.
    @Suite(.serialized) @MainActor struct Transitions {
        let window = TestWindow()
        let view = ImageView()
        let clock = ManualAnimationClock()

        init() { view.clock = clock }

        private var middle: String { Drawing(of: view, width: 8, height: 8)[4, 4] }

        /// Starts a fade from blue to red of two seconds in a window.
        private func beginFade() async throws {
            view.image = try .blue
            try #require(await window.present(view))
            let red = try Image.red
            view.transition(.fade(2)) { view.image = red }
        }

        @Test("A fade mixes both images linearly")
        func fade() async throws {
            try await beginFade()
            var seen = [middle]
            for _ in 1...4 {
                clock.advance(by: 0.5)
                seen.append(middle)
            }
            #expect(seen == ["ff0000ff", "ff4000bf", "ff80007f", "ffbf0040", "ffff0000"])
        }

        @Test("A fade from an empty view draws the new image with its opacity")
        func fadeFromEmpty() async throws {
            try #require(await window.present(view))
            let red = try Image.red
            view.transition(.fade(1)) { view.image = red }
            clock.advance(by: 0.5)
            #expect(middle == "80800000")
        }

        @Test("A fade to an empty view draws the old image with its opacity")
        func fadeToEmpty() async throws {
            view.image = try .red
            try #require(await window.present(view))
            view.transition(.fade(1)) { view.image = nil }
            clock.advance(by: 0.75)
            #expect(middle == "40400000")
        }

        @Test("A fade from a translucent image mixes premultiplied colours")
        func translucentFade() async throws {
            view.image = try .solid([255, 0, 0, 128], format: .rgba8Straight)
            try #require(await window.present(view))
            let green = try Image.solid([0, 255, 0, 255])
            view.transition(.fade(1)) { view.image = green }
            clock.advance(by: 0.5)
            let channels = Drawing(of: view, width: 8, height: 8).channels(4, 4)
            #expect(zip(channels, [192, 64, 128, 0]).allSatisfy { abs($0 - $1) <= 1 }, "\(channels)")
        }

        /// Each image is fitted by its own aspect ratio.
        @Test("A fade follows changes of the size and the content mode")
        func resizedFade() async throws {
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

        @Test("Changes of opacity and transform are animated with the fade")
        func alphaAndTransform() async throws {
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
            // Half of the time is a quarter of the progress: 1/4 red, 3/4 opaque, 13/16 of the width.
            clock.advance(by: 1)
            let drawing = Drawing(of: view, width: 32, height: 8)
            #expect(zip(drawing.channels(16, 4), [191, 48, 0, 143]).allSatisfy { abs($0 - $1) <= 1 })
            #expect(drawing.row(4) == "..." + String(repeating: "~", count: 26) + "...")
        }

        @Test("A custom transition without an effect shows the new image immediately")
        func customWithoutEffect() async throws {
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

        @Test("A change of the opacity during a fade applies immediately")
        func opacityDuringFade() async throws {
            try await beginFade()
            clock.advance(by: 1)
            view.alpha = 0
            #expect(middle == "00000000")
        }
    }
}

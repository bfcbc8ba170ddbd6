import CGtk
import Kingfisher
@testable import KingfisherGTK
import KingfisherTestSupport
import Testing

extension GTKTests {
    @Suite(.serialized) @MainActor struct Transitions {
        let window = TestWindow()
        let view = ImageView()
        let clock = ManualAnimationClock()

        /// A view in a window, on a clock of our own, that begins to fade from blue to red in two seconds.
        private func beginFade(completion: ((Bool) -> Void)? = nil) async throws {
            view.clock = clock
            view.image = try .blue
            try #require(await window.present(view))
            let red = try Image.red
            view.transition(.fade(2)) {
                view.image = red
            } completion: {
                completion?($0)
            }
        }

        @Test func fadePixels() async throws {
            try await beginFade()
            var seen = [Drawing(of: view, width: 8, height: 8)[4, 4]]
            for _ in 1...3 {
                clock.advance(by: 0.5)
                seen.append(Drawing(of: view, width: 8, height: 8)[4, 4])
            }
            #expect(seen == ["ff0000ff", "ff4000bf", "ff80007f", "ffbf0040"])
            clock.advance(by: 0.5)
            #expect(Drawing(of: view, width: 8, height: 8)[4, 4] == "ffff0000")
        }

        @Test func fadeFromNothing() async throws {
            view.clock = clock
            try #require(await window.present(view))
            let red = try Image.red
            view.transition(.fade(1)) { view.image = red }
            clock.advance(by: 0.5)
            #expect(Drawing(of: view, width: 8, height: 8)[4, 4] == "80800000")
        }

        @Test func framesEndTheFadeOnceItsTimeIsOver() async throws {
            var ends: [Bool] = []
            try await beginFade { ends.append($0) }
            clock.advance(by: 1.99)
            for _ in 0..<30 { await GTK.turn() }
            #expect(ends.isEmpty && view.runningTransition != nil)
            clock.advance(by: 0.02)
            #expect(await GTK.wait { ends == [true] })
            #expect(view.runningTransition == nil)
        }

        /// On GTK's own clock.
        @Test func fadeTakesItsTime() async throws {
            try #require(await window.present(view))
            let red = try Image.red
            let start = ContinuousClock.now
            var hasEnded = false
            view.transition(.fade(0.2)) {
                view.image = red
            } completion: { _ in
                hasEnded = true
            }
            #expect(await GTK.wait { hasEnded })
            #expect(ContinuousClock.now - start >= .milliseconds(190))
        }

        @Test func closingTheWindowEndsTheFade() async throws {
            var ends: [Bool] = []
            try await beginFade { ends.append($0) }
            window.close()
            #expect(ends == [false])
        }

        @Test func hidingTheViewEndsTheFade() async throws {
            var ends: [Bool] = []
            try await beginFade { ends.append($0) }
            view.isHidden = true
            #expect(ends == [false])
        }

        @Test func nothingFadesOffScreen() throws {
            _ = view.widget
            let red = try Image.red
            var ends: [Bool] = []
            view.transition(.fade(2)) {
                view.image = red
            } completion: {
                ends.append($0)
            }
            #expect(ends == [true])
            #expect(Drawing(of: view, width: 8, height: 8)[4, 4] == "ffff0000")
        }

        @Test func nothingFadesForAUserWhoWantsNoMotion() async throws {
            let settings = UnsafeMutableRawPointer(gtk_settings_get_default()!)
                .assumingMemoryBound(to: GObject.self)
            var motion = GValue()
            g_value_init(&motion, g_type_from_name("gboolean"))
            g_object_set_property(settings, "gtk-enable-animations", &motion)
            defer {
                g_value_set_boolean(&motion, 1)
                g_object_set_property(settings, "gtk-enable-animations", &motion)
            }
            var ends: [Bool] = []
            try await beginFade { ends.append($0) }
            #expect(ends == [true])
        }
    }
}

import CGtk
import Foundation
import Kingfisher
@testable import KingfisherGTK
import KingfisherTestSupport
import Testing

extension GTKTests {
    /// When transitions end, and how many frames they take.
    @Suite(.serialized) @MainActor final class TransitionEnds {
        nonisolated static let kinds: [ImageTransition] = [
            .fade(2), .flipFromLeft(2), .flipFromTop(2),
            .custom(duration: 2, options: .curveLinear, animations: nil, completion: nil),
        ]

        private let window = TestWindow()
        private let clock = ManualAnimationClock()
        private var view: CountingView? = CountingView()
        private var ends: [Bool] = []

        /// Goes over from blue to red; half of the time is over when this returns.
        private func begin(_ kind: ImageTransition = .fade(2)) async throws {
            let view = try #require(view)
            view.clock = clock
            view.image = try .blue
            try #require(await window.present(view))
            go(kind, to: try .red)
            clock.advance(by: kind.duration / 2)
        }

        private func go(_ kind: ImageTransition, to image: Image) {
            view?.transition(kind) { [view] in
                view?.image = image
            } completion: { [weak self] in
                self?.ends.append($0)
            }
        }

        private var middle: String? { view.map { Drawing(of: $0, width: 8, height: 8)[4, 4] } }

        @Test("Once the time is over", arguments: kinds)
        func time(_ kind: ImageTransition) async throws {
            try await begin(kind)
            clock.advance(by: 0.99)
            for _ in 0..<20 { await GTK.turn() }
            #expect(ends.isEmpty && view?.runningTransition != nil)
            clock.advance(by: 0.02)
            #expect(await GTK.wait { self.ends == [true] })
            #expect(view?.runningTransition == nil && middle == "ffff0000")
            for _ in 0..<5 { await GTK.turn() }
            #expect(ends == [true])
        }

        @Test("On GTK's own clock")
        func realTime() async throws {
            let view = try #require(view)
            try #require(await window.present(view))
            let start = ContinuousClock.now
            go(.flipFromBottom(0.2), to: try .red)
            #expect(await GTK.wait { self.ends == [true] })
            #expect(ContinuousClock.now - start >= .milliseconds(190))
        }

        @Test("When the window closes", arguments: kinds)
        func closed(_ kind: ImageTransition) async throws {
            try await begin(kind)
            window.close()
            #expect(middle == "ffff0000")
            #expect(await GTK.wait { self.ends == [false] })
        }

        @Test("When the view is hidden, or what it lies on", arguments: [false, true])
        func hidden(_ isParent: Bool) async throws {
            let parent = View()
            let view = try #require(view)
            view.clock = clock
            parent.addSubview(view)
            try #require(await window.present(parent))
            #expect(await GTK.wait { gtk_widget_get_mapped(view.widget) != 0 })
            go(.fade(2), to: try .red)
            #expect(ends.isEmpty)
            (isParent ? parent : view).isHidden = true
            #expect(await GTK.wait { self.ends == [false] })
        }

        @Test("When the window is hidden")
        func hiddenWindow() async throws {
            try await begin()
            window.hide()
            #expect(await GTK.wait { self.ends == [false] })
        }

        @Test("When the view is taken off its superview")
        func removed() async throws {
            let parent = View()
            let view = try #require(view)
            parent.addSubview(view)
            try #require(await window.present(parent))
            #expect(await GTK.wait { gtk_widget_get_mapped(view.widget) != 0 })
            go(.fade(2), to: try .red)
            view.removeFromSuperview()
            #expect(await GTK.wait { self.ends == [false] })
        }

        @Test("When the view goes for good", arguments: kinds)
        func dropped(_ kind: ImageTransition) async throws {
            try await begin(kind)
            weak let gone = view
            view = nil
            #expect(ends.isEmpty && gone != nil)
            window.show(nil)
            #expect(await GTK.wait { self.ends == [false] })
            #expect(await GTK.wait { gone == nil })
            #expect(ends == [false])
        }

        @Test("A handler may take the view away while GTK hides it among its neighbours")
        func removedByItsHandler() async throws {
            let (parent, neighbours) = (View(), [View(), View()])
            let moving = try #require(view)
            for subview in [neighbours[0], moving, neighbours[1]] { parent.addSubview(subview) }
            view = nil
            try #require(await window.present(parent))
            #expect(await GTK.wait { gtk_widget_get_mapped(moving.widget) != 0 })
            let red = try Image.red
            moving.transition(.fade(2)) {
                moving.image = red
            } completion: { [weak self, weak moving] in
                self?.ends.append($0)
                moving?.removeFromSuperview()
            }
            parent.isHidden = true
            #expect(neighbours.allSatisfy { gtk_widget_get_mapped($0.widget) == 0 })
            #expect(await GTK.wait { self.ends == [false] })
            #expect(parent.subviews.count == 2)
        }

        @Test("When the next image comes", arguments: kinds)
        func reused(_ kind: ImageTransition) async throws {
            try await begin(kind)
            view?.image = try .solid([0, 255, 0, 255])
            #expect(ends == [false] && middle == "ff00ff00")

            for turn in 0..<20 {
                go(kind, to: turn % 2 == 0 ? try .red : try .blue)
                await GTK.turn()
            }
            #expect(ends == Array(repeating: false, count: 20))
            clock.advance(by: 2)
            #expect(await GTK.wait { self.ends.last == true })
            #expect(ends.count == 21 && middle == "ff0000ff")
        }

        @Test("At once off the screen", arguments: kinds)
        func offScreen(_ kind: ImageTransition) throws {
            _ = view?.widget
            go(kind, to: try .red)
            #expect(ends == [true] && middle == "ffff0000")
        }

        @Test("At once for a user who wants no motion", arguments: kinds)
        func noMotion(_ kind: ImageTransition) async throws {
            GTK.setAnimations(enabled: false)
            defer { GTK.setAnimations(enabled: true) }
            try await begin(kind)
            #expect(ends == [true] && middle == "ffff0000")
        }

        @Test("Each frame is asked for while one runs, none when nothing moves")
        func frames() async throws {
            try await begin()
            let view = try #require(view)
            let (frames, advances) = (window.frameCount, view.advances)
            #expect(await GTK.wait { self.window.frameCount >= frames + 10 })
            #expect(abs(view.advances - advances - (window.frameCount - frames)) <= 1)

            clock.advance(by: 1)
            #expect(await GTK.wait { self.ends == [true] })
            #expect(await restsEventually())
            let last = view.advances
            view.alpha = 0.5
            for _ in 0..<20 { await GTK.turn() }
            #expect(view.advances == last && window.frameCount > frames)
        }

        @Test("None after a transition that was cut short either")
        func framesAfterACut() async throws {
            try await begin(.flipFromTop(2))
            view?.image = nil
            #expect(await restsEventually())
        }

        /// Whether the window comes to draw no more frames, for as long as a few would take.
        private func restsEventually() async -> Bool {
            var last = -1
            return await GTK.wait {
                // Counts turns of the loop rather than time: each is 2 ms at least.
                self.turns += 1
                guard self.turns % 50 == 0 else { return false }
                defer { last = self.window.frameCount }
                return self.window.frameCount == last
            }
        }

        private var turns = 0
    }
}

/// An image view that counts how often it is brought up to date.
@MainActor private final class CountingView: ImageView {
    private(set) var advances = 0

    override func advance() {
        advances += 1
        super.advance()
    }
}

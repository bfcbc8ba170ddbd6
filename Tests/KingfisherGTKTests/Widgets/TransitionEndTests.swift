import CGtk
import Foundation
import Kingfisher
@testable import KingfisherGTK
import KingfisherTestSupport
import Testing

extension GTKTests {
    /// The end of transitions and the number of frames they request.
    @Suite(.serialized) @MainActor final class TransitionEnds {
        nonisolated static let kinds: [ImageTransition] = [
            .fade(2), .flipFromLeft(2), .flipFromTop(2),
            .custom(duration: 2, options: .curveLinear, animations: nil, completion: nil),
        ]

        private let window = TestWindow()
        private let clock = ManualAnimationClock()
        private var view: CountingView? = CountingView()
        private var ends: [Bool] = []

        /// Starts a transition from blue to red and advances to half of its duration.
        private func begin(_ kind: ImageTransition = .fade(2)) async throws {
            let view = try #require(view)
            view.clock = clock
            view.image = try .blue
            try #require(await window.present(view))
            start(kind, to: try .red)
            clock.advance(by: kind.duration / 2)
        }

        private func start(_ kind: ImageTransition, to image: Image) {
            view?.transition(kind) { [view] in
                view?.image = image
            } completion: { [weak self] in
                self?.ends.append($0)
            }
        }

        private var middle: String? { view.map { Drawing(of: $0, width: 8, height: 8)[4, 4] } }

        @Test("A transition completes after its duration", arguments: kinds)
        func time(_ kind: ImageTransition) async throws {
            try await begin(kind)
            clock.advance(by: 0.99)
            for _ in 0..<20 { await GTK.iterate() }
            #expect(ends.isEmpty && view?.runningTransition != nil)
            clock.advance(by: 0.02)
            #expect(await GTK.wait { self.ends == [true] })
            #expect(view?.runningTransition == nil && middle == "ffff0000")
            for _ in 0..<5 { await GTK.iterate() }
            #expect(ends == [true])
        }

        @Test("A transition completes on GTK's frame clock")
        func realTime() async throws {
            let view = try #require(view)
            try #require(await window.present(view))
            let began = ContinuousClock.now
            start(.flipFromBottom(0.2), to: try .red)
            #expect(await GTK.wait { self.ends == [true] })
            #expect(ContinuousClock.now - began >= .milliseconds(190))
        }

        @Test("Closing the window ends a transition", arguments: kinds)
        func closed(_ kind: ImageTransition) async throws {
            try await begin(kind)
            window.close()
            #expect(middle == "ffff0000")
            #expect(await GTK.wait { self.ends == [false] })
        }

        @Test("Hiding the view or its superview ends a transition", arguments: [false, true])
        func hidden(_ isParent: Bool) async throws {
            let parent = View()
            let view = try #require(view)
            view.clock = clock
            parent.addSubview(view)
            try #require(await window.present(parent))
            #expect(await GTK.wait { gtk_widget_get_mapped(view.widget) != 0 })
            start(.fade(2), to: try .red)
            #expect(ends.isEmpty)
            (isParent ? parent : view).isHidden = true
            #expect(await GTK.wait { self.ends == [false] })
        }

        @Test("Hiding the window ends a transition")
        func hiddenWindow() async throws {
            try await begin()
            window.hide()
            #expect(await GTK.wait { self.ends == [false] })
        }

        @Test("Removing the view from its superview ends a transition")
        func removed() async throws {
            let parent = View()
            let view = try #require(view)
            parent.addSubview(view)
            try #require(await window.present(parent))
            #expect(await GTK.wait { gtk_widget_get_mapped(view.widget) != 0 })
            start(.fade(2), to: try .red)
            view.removeFromSuperview()
            #expect(await GTK.wait { self.ends == [false] })
        }

        @Test("Releasing the view ends a transition", arguments: kinds)
        func dropped(_ kind: ImageTransition) async throws {
            try await begin(kind)
            weak let dropped = view
            view = nil
            #expect(ends.isEmpty && dropped != nil)
            window.show(nil)
            #expect(await GTK.wait { self.ends == [false] })
            #expect(await GTK.wait { dropped == nil })
            #expect(ends == [false])
        }

        @Test("A completion may remove the view while GTK hides its siblings")
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

        @Test("The next image ends a transition", arguments: kinds)
        func reused(_ kind: ImageTransition) async throws {
            try await begin(kind)
            view?.image = try .solid([0, 255, 0, 255])
            #expect(ends == [false] && middle == "ff00ff00")

            for index in 0..<20 {
                start(kind, to: index % 2 == 0 ? try .red : try .blue)
                await GTK.iterate()
            }
            #expect(ends == Array(repeating: false, count: 20))
            clock.advance(by: 2)
            #expect(await GTK.wait { self.ends.last == true })
            #expect(ends.count == 21 && middle == "ff0000ff")
        }

        @Test("Off screen a transition completes synchronously", arguments: kinds)
        func offScreen(_ kind: ImageTransition) throws {
            _ = view?.widget
            start(kind, to: try .red)
            #expect(ends == [true] && middle == "ffff0000")
        }

        @Test("With animations disabled a transition completes synchronously", arguments: kinds)
        func noMotion(_ kind: ImageTransition) async throws {
            GTK.setAnimations(enabled: false)
            defer { GTK.setAnimations(enabled: true) }
            try await begin(kind)
            #expect(ends == [true] && middle == "ffff0000")
        }

        @Test("Frames are requested only while a transition runs")
        func frames() async throws {
            try await begin()
            let view = try #require(view)
            let (frames, advances) = (window.frameCount, view.advances)
            #expect(await GTK.wait { self.window.frameCount >= frames + 10 })
            #expect(abs(view.advances - advances - (window.frameCount - frames)) <= 1)

            clock.advance(by: 1)
            #expect(await GTK.wait { self.ends == [true] })
            #expect(await stopsDrawing())
            let last = view.advances
            view.alpha = 0.5
            for _ in 0..<20 { await GTK.iterate() }
            #expect(view.advances == last && window.frameCount > frames)
        }

        @Test("No frames are requested after an interrupted transition")
        func framesAfterACut() async throws {
            try await begin(.flipFromTop(2))
            view?.image = nil
            #expect(await stopsDrawing())
        }

        /// Whether the window stops drawing frames for at least the duration of a few frames.
        private func stopsDrawing() async -> Bool {
            var last = -1
            return await GTK.wait {
                // Each iteration takes at least 2 ms.
                self.iterations += 1
                guard self.iterations % 50 == 0 else { return false }
                defer { last = self.window.frameCount }
                return self.window.frameCount == last
            }
        }

        private var iterations = 0
    }
}

/// An image view that counts its calls of `advance()`.
@MainActor private final class CountingView: ImageView {
    private(set) var advances = 0

    override func advance() {
        advances += 1
        super.advance()
    }
}

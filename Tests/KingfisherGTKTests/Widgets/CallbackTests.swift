import CGtk
import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// Callbacks that destroy the window and the last view they could have come from.
    @Suite(.serialized) @MainActor final class Callbacks {
        private var window: TestWindow? = TestWindow()
        private let watch = WidgetWatch()
        private weak var view: View?
        private var calls = 0

        /// Shows `view`, which from now on only the window keeps.
        private func present(_ view: View) async throws {
            self.view = view
            watch.watch(view)
            try #require(await window?.present(view) == true)
        }

        private func destroyWindow() {
            calls += 1
            window?.close()
            window = nil
        }

        private func everythingIsGone() async -> Bool {
            await GTK.wait { self.calls > 0 && self.view == nil && self.watch.isGone }
        }

        @Test(arguments: [true, false]) func completion(fading: Bool) async throws {
            let stand = try Stand()
            do {
                let view = ImageView()
                view.kf.indicatorType = .activity
                try await present(view)
                let fade: KingfisherOptionsInfo = fading ? [.transition(.fade(0.05)), .forceTransition] : []
                view.kf.setImage(with: Stand.url(1), options: stand.options + fade) { _ in
                    self.destroyWindow()
                }
            }
            #expect(await everythingIsGone())
            #expect(calls == 1)
        }

        @Test func endOfATransition() async throws {
            do {
                let view = ImageView(image: try .red)
                try await present(view)
                view.transition(.fade(0.05), changes: { view.image = nil }) { _ in self.destroyWindow() }
                #expect(view.runningTransition != nil)
            }
            #expect(await everythingIsGone())
            #expect(calls == 1)
        }

        @Test func click() async throws {
            do {
                let button = Button(title: "Close")
                button.onClick = { self.destroyWindow() }
                try await present(button)
            }
            let widget = try #require(view).widget
            // Lets go of the reference that goes with the pointer.
            for _ in 0..<3 { await GTK.turn() }
            KingfisherGTKTests.click(gtk_widget_get_first_child(widget))
            #expect(await everythingIsGone())
            #expect(calls == 1)
        }

        @Test func clickThatTakesItsButtonAway() async throws {
            let ground = View()
            do {
                let button = Button(title: "Remove")
                button.onClick = { [weak button] in
                    self.calls += 1
                    button?.removeFromSuperview()
                }
                ground.addSubview(button)
                view = button
                watch.watch(button)
            }
            try #require(await window?.present(ground) == true)
            KingfisherGTKTests.click(gtk_widget_get_first_child(gtk_widget_get_first_child(ground.widget)))
            #expect(await everythingIsGone())
            #expect(calls == 1)
        }

        @Test func delegate() async throws {
            final class Delegate: AnimatedImageViewDelegate {
                let onEnd: () -> Void
                init(onEnd: @escaping () -> Void) { self.onEnd = onEnd }
                func animatedImageViewDidFinishAnimating(_ imageView: AnimatedImageView) { onEnd() }
            }
            let delegate = Delegate { [weak self] in self?.destroyWindow() }
            do {
                let frames = try ColorFrames([.red, .blue], 0.02)
                let view = AnimatedImageView(
                    image: KingfisherWrapper<Image>.animatedImage(
                        source: frames, options: ImageCreatingOptions()))
                view.repeatCount = .once
                view.delegate = delegate
                try await present(view)
            }
            #expect(await everythingIsGone())
            withExtendedLifetime(delegate) { #expect(calls == 1) }
        }

        @Test(arguments: [true, false]) func indicator(atStart: Bool) async throws {
            final class Closing: Indicator {
                let view = View()
                let onStart, onStop: () -> Void
                private var isStarted = false

                init(onStart: @escaping () -> Void, onStop: @escaping () -> Void) {
                    (self.onStart, self.onStop) = (onStart, onStop)
                }

                func startAnimatingView() {
                    isStarted = true
                    onStart()
                }

                func stopAnimatingView() { if isStarted { onStop() } }
            }
            let stand = try Stand()
            do {
                let view = ImageView()
                try await present(view)
                let close = { [weak self] in
                    guard let self, self.calls == 0 else { return }
                    self.destroyWindow()
                }
                view.kf.indicatorType = .custom(
                    indicator: Closing(onStart: atStart ? close : {}, onStop: atStart ? {} : close))
                view.kf.setImage(with: Stand.url(2), options: stand.options)
            }
            #expect(await everythingIsGone())
        }
    }
}

import CGtk
import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// Callbacks that destroy the window and with it the view that called them.
    @Suite(.serialized) @MainActor final class Callbacks {
        private var window: TestWindow? = TestWindow()
        private let watch = WidgetWatch()
        private weak var view: View?
        private var calls = 0

        /// Shows `view`. After the caller's scope only the window holds a reference to it.
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

        private func isEverythingDestroyed() async -> Bool {
            await GTK.wait { self.calls > 0 && self.view == nil && self.watch.isDestroyed }
        }

        @Test("A completion may destroy the window", arguments: [true, false])
        func completion(fading: Bool) async throws {
            let rig = try LoadingRig()
            do {
                let view = ImageView()
                view.kf.indicatorType = .activity
                try await present(view)
                let fade: KingfisherOptionsInfo = fading ? [.transition(.fade(0.05)), .forceTransition] : []
                view.kf.setImage(with: LoadingRig.url(1), options: rig.options + fade) { _ in
                    self.destroyWindow()
                }
            }
            #expect(await isEverythingDestroyed())
            #expect(calls == 1)
        }

        @Test("The completion of a transition may destroy the window")
        func transitionEnd() async throws {
            do {
                let view = ImageView(image: try .red)
                try await present(view)
                view.transition(.fade(0.05), changes: { view.image = nil }) { _ in self.destroyWindow() }
                #expect(view.runningTransition != nil)
            }
            #expect(await isEverythingDestroyed())
            #expect(calls == 1)
        }

        @Test("A click may destroy the window")
        func clickHandler() async throws {
            do {
                let button = Button(title: "Close")
                button.onClick = { self.destroyWindow() }
                try await present(button)
            }
            let widget = try #require(view).widget
            // Releases the temporary reference that `widget` holds.
            for _ in 0..<3 { await GTK.iterate() }
            KingfisherGTKTests.click(gtk_widget_get_first_child(widget))
            #expect(await isEverythingDestroyed())
            #expect(calls == 1)
        }

        @Test("A click may remove its button")
        func clickRemovesButton() async throws {
            let background = View()
            do {
                let button = Button(title: "Remove")
                button.onClick = { [weak button] in
                    self.calls += 1
                    button?.removeFromSuperview()
                }
                background.addSubview(button)
                view = button
                watch.watch(button)
            }
            try #require(await window?.present(background) == true)
            KingfisherGTKTests.click(
                gtk_widget_get_first_child(gtk_widget_get_first_child(background.widget)))
            #expect(await isEverythingDestroyed())
            #expect(calls == 1)
        }

        @Test("A delegate of an animation may destroy the window")
        func delegate() async throws {
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
            #expect(await isEverythingDestroyed())
            withExtendedLifetime(delegate) { #expect(calls == 1) }
        }

        @Test(
            "An indicator may destroy the window when it starts or stops", arguments: [true, false])
        func indicator(atStart: Bool) async throws {
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
            let rig = try LoadingRig()
            do {
                let view = ImageView()
                try await present(view)
                let close = { [weak self] in
                    guard let self, self.calls == 0 else { return }
                    self.destroyWindow()
                }
                view.kf.indicatorType = .custom(
                    indicator: Closing(onStart: atStart ? close : {}, onStop: atStart ? {} : close))
                view.kf.setImage(with: LoadingRig.url(2), options: rig.options)
            }
            #expect(await isEverythingDestroyed())
        }
    }
}

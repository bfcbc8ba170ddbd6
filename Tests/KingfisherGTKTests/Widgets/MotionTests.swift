import CGtk
import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// The user's setting for animations, and playing on hover.
    @Suite(.serialized) @MainActor struct Motion {
        private let window = TestWindow()

        /// Red, green, blue, 40 ms each.
        private func animation() throws -> Image {
            let colors: [SIMD4<UInt8>] = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]]
            return try #require(
                KingfisherWrapper<Image>.animatedImage(
                    source: try ColorFrames(colors.map { try .solid($0, width: 80, height: 80) }, 0.04),
                    options: ImageCreatingOptions()))
        }

        private func color(of view: View) async throws -> String {
            try await Screenshot.take(of: view)[4, 4]
        }

        @Test("Turning animations off shows the first frame; turning them on continues")
        func settingChanges() async throws {
            let view = AnimatedImageView(image: try animation())
            try #require(await window.present(view))
            #expect(await GTK.wait { view.currentFrameIndex == 1 })
            defer { GTK.setAnimations(enabled: true) }
            GTK.setAnimations(enabled: false)
            #expect(view.environment.reducesMotion && view.nextFrameTime == nil)
            #expect(try await color(of: view) == "ffff0000")
            for _ in 0..<60 { await GTK.iterate() }
            #expect(try await color(of: view) == "ffff0000" && view.currentFrameIndex == 0)
            GTK.setAnimations(enabled: true)
            #expect(await GTK.wait { view.currentFrameIndex == 2 })
        }

        @Test("A view that asks for motion plays without animations")
        func askForMotion() async throws {
            GTK.setAnimations(enabled: false)
            defer { GTK.setAnimations(enabled: true) }
            let view = AnimatedImageView(image: try animation())
            try #require(await window.present(view))
            for _ in 0..<60 { await GTK.iterate() }
            #expect(view.currentFrameIndex == 0)
            view.motion = .always
            #expect(await GTK.wait { view.currentFrameIndex == 2 })
        }

        @Test("Turning animations off ends a running transition at once")
        func runningTransition() async throws {
            let view = ImageView(image: try .red)
            try #require(await window.present(view))
            let blue = try Image.blue
            var ends: [Bool] = []
            view.transition(.fade(60), changes: { view.image = blue }, completion: { ends.append($0) })
            try #require(view.runningTransition != nil)
            GTK.setAnimations(enabled: false)
            defer { GTK.setAnimations(enabled: true) }
            #expect(ends == [true])
            #expect(try await color(of: view) == "ff0000ff")
        }

        @Test("An image indicator shows its first frame without animations")
        func imageIndicator() async throws {
            GTK.setAnimations(enabled: false)
            defer { GTK.setAnimations(enabled: true) }
            let view = ImageView()
            view.kf.indicatorType = .image(imageData: try Fixtures.data(named: "GIF/delays.gif"))
            let indicator = try #require(view.kf.indicator?.view as? AnimatedImageView)
            try #require(await window.present(view))
            view.kf.indicator?.startAnimatingView()
            #expect(await GTK.wait { gtk_widget_get_mapped(indicator.widget) != 0 })
            for _ in 0..<100 { await GTK.iterate() }
            #expect(indicator.displayedImage === indicator.image && indicator.nextFrameTime == nil)
        }

        /// Whether the pixels of `view` change within `seconds`. GTK 4.24 shows a spinner after 0.5 s.
        private func moves(_ view: View, within seconds: Double = 5) async throws -> Bool {
            // GTK applies a new style in the next frame.
            for _ in 0..<20 { await GTK.iterate() }
            let before = try await Screenshot.take(of: view)
            return await GTK.wait(upTo: seconds) { Screenshot(of: view).map { $0 != before } == true }
        }

        @Test("Without motion a spinner is visible, busy and still, also one that is made later")
        func spinner() async throws {
            defer { DesktopSettings.shared.portalValues = PortalValues() }
            let (frame, spinner) = (View(), ActivityIndicatorView())
            frame.addSubview(spinner)
            spinner.startAnimating()
            try #require(await window.present(frame))
            #expect(try await moves(frame))
            DesktopSettings.shared.portalValues.set("org.freedesktop.appearance", "reduced-motion", to: 1)
            #expect(try await !moves(frame, within: 1))
            #expect(try await Screenshot.take(of: frame).box { $0 > "40" } != nil)
            #expect(spinner.accessibility.isBusy)
            frame.motion = .always
            #expect(try await moves(frame))
            // GTK rotates the widget in its parent.
            let (other, late) = (View(), ActivityIndicatorView())
            other.addSubview(late)
            late.startAnimating()
            try #require(await window.present(other))
            #expect(try await !moves(other, within: 1))
            DesktopSettings.shared.portalValues = PortalValues()
            #expect(try await moves(other))
        }

        @Test("On hover only, an image plays while the pointer is over it")
        func pointer() async throws {
            let (row, view, other) = (View(), AnimatedImageView(image: try animation()), View())
            view.playsOnHover = true
            view.placement = .center(size: CGSize(width: 20, height: 20), offset: CGPoint(x: 20, y: 0))
            row.addSubview(other)
            row.addSubview(view)
            try #require(await window.present(row))
            try #require(Pointer.move(to: 5, 5, inWindowOf: row.widget))
            for _ in 0..<60 { await GTK.iterate() }
            #expect(!view.isHovered && view.currentFrameIndex == 0)
            #expect(Pointer.move(to: 60, 40, inWindowOf: row.widget))
            #expect(await GTK.wait { view.isHovered && view.currentFrameIndex == 2 })
            #expect(Pointer.move(to: 5, 5, inWindowOf: row.widget))
            #expect(await GTK.wait { !view.isHovered })
            #expect(view.nextFrameTime == nil)
            #expect(Pointer.move(to: 60, 40, inWindowOf: row.widget))
            #expect(await GTK.wait { view.isHovered })
            view.playsOnHover = false
            #expect(!view.isHovered && view.nextFrameTime != nil)
        }

        @Test("A focused row or button counts as hover for the images in it, a focused list does not")
        func focus() async throws {
            let view = AnimatedImageView(image: try animation())
            view.playsOnHover = true
            let (button, outside) = (gtk_button_new()!, gtk_button_new()!)
            let scroller = gtk_scrolled_window_new()!
            gtk_button_set_child(
                UnsafeMutableRawPointer(button).assumingMemoryBound(to: GtkButton.self), view.widget)
            gtk_widget_set_focusable(scroller, 1)
            gtk_scrolled_window_set_child(OpaquePointer(scroller), button)
            let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)!
            gtk_widget_set_vexpand(scroller, 1)
            for part in [outside, scroller] {
                gtk_box_append(UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self), part)
            }
            let frame = WidgetView(wrapping: box)
            try #require(await window.present(frame))
            _ = Pointer.move(to: 900, 700, inWindowOf: frame.widget)
            gtk_widget_grab_focus(outside)
            #expect(await GTK.wait { !view.isHovered })
            gtk_widget_grab_focus(button)
            #expect(view.isHovered)
            #expect(await GTK.wait { view.currentFrameIndex == 2 })
            gtk_root_set_focus(gtk_widget_get_root(scroller), scroller)
            #expect(!view.isHovered)
            gtk_widget_grab_focus(button)
            window.hide()
            #expect(!view.isHovered)
        }
    }
}

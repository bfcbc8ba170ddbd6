import CGtk
import Foundation
import Kingfisher
@testable import KingfisherGTK
import Testing

extension GTKTests {
    @Suite(.serialized) @MainActor struct Buttons {
        let window = TestWindow(width: 160, height: 48)
        let button = Button(title: "Open")

        private var gtkButton: UnsafeMutablePointer<GtkWidget> { gtk_widget_get_first_child(button.widget) }

        private func press(_ isPressed: Bool) {
            if isPressed {
                gtk_widget_set_state_flags(gtkButton, GTK_STATE_FLAG_ACTIVE, 0)
            } else {
                gtk_widget_unset_state_flags(gtkButton, GTK_STATE_FLAG_ACTIVE)
            }
        }

        @Test("A click calls onClick, and isEnabled sets the sensitivity")
        func clicks() async throws {
            var clicks = 0
            button.onClick = { clicks += 1 }
            try #require(await window.present(button))
            click(gtkButton)
            #expect(clicks == 1)
            button.isEnabled = false
            #expect(gtk_widget_is_sensitive(gtkButton) == 0)
            button.isEnabled = true
            #expect(gtk_widget_is_sensitive(gtkButton) != 0)
        }

        @Test("States of the button and of its widget follow each other")
        func states() async throws {
            try #require(await window.present(button))
            press(true)
            #expect(button.isHighlighted && button.state.contains(.highlighted))
            press(false)
            #expect(!button.isHighlighted)
            button.isHighlighted = true
            #expect(gtk_widget_get_state_flags(gtkButton).rawValue & GTK_STATE_FLAG_ACTIVE.rawValue != 0)
            button.isHighlighted = false
            button.isSelected = true
            #expect(gtk_widget_get_state_flags(gtkButton).rawValue & GTK_STATE_FLAG_CHECKED.rawValue != 0)
            #expect(gtk_widget_grab_focus(gtkButton) != 0)
            #expect(button.isFocused)
        }

        @Test("Each of four states shows its image and background")
        func imagesOfStates() async throws {
            let green = try Image.solid([0, 160, 0, 255], width: 24, height: 24)
            let yellow = try Image.solid([255, 255, 0, 255], width: 24, height: 24)
            button.setBackgroundImage(try .solid([255, 0, 0, 255]), for: .normal)
            button.setBackgroundImage(try .solid([0, 0, 255, 255]), for: .selected)
            button.setImage(green, for: .normal)
            button.setImage(yellow, for: .highlighted)
            try #require(await window.present(button))

            let normal = try await Screenshot.take(of: button)
            // The background fills the theme's rounded border.
            #expect(
                normal[80, 3] == "ffff0000" && normal[3, 24] == "ffff0000" && normal[156, 24] == "ffff0000")
            let image = try #require(normal.box(of: "ff00a000"))
            #expect(image.width == 24 && image.height == 24 && image.midY == 24)
            // Image and title together are centered.
            let title = try #require(normal.box { $0 < "ff800000" && $0 > "ff000000" && $0 != "ff00a000" })
            #expect(title.minX > image.maxX && image.minX > 20 && title.maxX < 140)

            press(true)
            let pressed = try await Screenshot.take(of: button)
            #expect(pressed.box(of: "ffffff00")?.size == CGSize(width: 24, height: 24))
            #expect(pressed[80, 3] != "ffff0000")
            press(false)

            button.isSelected = true
            let selected = try await Screenshot.take(of: button)
            #expect(selected[80, 3] == "ff0000ff" && selected.box(of: "ff00a000") != nil)
            button.isSelected = false

            button.isEnabled = false
            let disabled = try await Screenshot.take(of: button)
            #expect(disabled.box(of: "ff00a000") == nil && disabled[80, 3] != "ffff0000")
            button.isEnabled = true
            #expect(try await Screenshot.take(of: button)[80, 3] == "ffff0000")
        }

        @Test("The alternate image is shown while the button is pressed")
        func alternateImage() async throws {
            button.image = try .red
            button.alternateImage = try .blue
            try #require(await window.present(button))
            #expect(try await Screenshot.take(of: button).box(of: "ffff0000") != nil)
            press(true)
            let pressed = try await Screenshot.take(of: button)
            #expect(pressed.box(of: "ff0000ff") != nil && pressed.box(of: "ffff0000") == nil)
        }

        @Test("The natural size includes title, image and background")
        func naturalSize() throws {
            func width() -> Int32 {
                var natural: Int32 = 0
                gtk_widget_measure(button.widget, GTK_ORIENTATION_HORIZONTAL, -1, nil, &natural, nil, nil)
                return natural
            }
            let alone = width()
            button.setImage(try .solid([0, 0, 0, 255], width: 30, height: 20), for: .normal)
            #expect(width() == alone + 30 + 6)
            button.setBackgroundImage(try .solid([0, 0, 0, 255], width: 300, height: 20), for: .normal)
            #expect(width() >= 300)
            button.setBackgroundImage(nil, for: .normal)
            button.title = nil
            #expect(width() < alone + 30)
        }

        @Test("An image that is loaded for a state is shown in that state only")
        func loadForState() async throws {
            try #require(await window.present(button))
            let data = try #require(try Image.solid([0, 0, 255, 255], width: 16, height: 16).pngData())
            let source = Source.provider(RawImageDataProvider(data: data, cacheKey: "button"))
            await withCheckedContinuation { done in
                button.kf.setImage(
                    with: source, for: .highlighted, options: [.forceRefresh, .cacheMemoryOnly],
                    completionHandler: { _ in done.resume() })
            }
            #expect(try await Screenshot.take(of: button).box(of: "ff0000ff") == nil)
            press(true)
            #expect(await GTK.wait { Screenshot(of: button)?.box(of: "ff0000ff") != nil })
        }

        @Test("A button is released when its window closes")
        func destroyedWithWidget() async throws {
            weak var model: Button?
            let (watch, inner) = (WidgetWatch(), WidgetWatch())
            do {
                let new = Button(title: "Close")
                new.setBackgroundImage(try .red, for: .normal)
                model = new
                watch.watch(new)
                inner.watch(gtk_widget_get_first_child(new.widget))
                try #require(await window.present(new))
            }
            for _ in 0..<5 { await GTK.iterate() }
            #expect(model != nil)
            window.close()
            #expect(await GTK.wait { model == nil && watch.isDestroyed && inner.isDestroyed })
        }

        @Test("The last release on another thread destroys the widget on the main thread")
        func lastReleaseOnAnotherThread() async {
            let watch = WidgetWatch()
            var model: Button? = Button(title: "Close")
            watch.watch(gtk_widget_get_first_child(model!.widget))
            let last = Unmanaged.passRetained(model!)
            model = nil
            for _ in 0..<5 { await GTK.iterate() }
            #expect(!watch.isDestroyed)
            await Task.detached { last.release() }.value
            #expect(await GTK.wait { watch.isDestroyed })
            #expect(watch.wasDestroyedOnMainThread)
        }
    }
}

/// Emits "clicked", as GTK does when the mouse button is released on `button`.
@MainActor func click(_ button: UnsafeMutablePointer<GtkWidget>) {
    var arguments = GValue()
    g_value_init(&arguments, gtk_button_get_type())
    g_value_set_object(&arguments, button)
    g_signal_emitv(&arguments, g_signal_lookup("clicked", gtk_button_get_type()), 0, nil)
    g_value_unset(&arguments)
}

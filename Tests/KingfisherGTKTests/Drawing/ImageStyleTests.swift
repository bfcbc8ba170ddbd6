import CGtk
import Kingfisher
import KingfisherGTK
import Testing

extension GTKTests {
    /// Template images and mirrored images.
    @Suite(.serialized) @MainActor struct ImageStyles {
        let window = TestWindow(width: 64, height: 64)
        let view = ImageView()

        private func set(dark: Bool) {
            var value = GValue()
            g_value_init(&value, g_type_from_name("gboolean"))
            g_value_set_boolean(&value, dark ? 1 : 0)
            let settings = UnsafeMutableRawPointer(gtk_settings_get_default())
            g_object_set_property(
                settings?.assumingMemoryBound(to: GObject.self), "gtk-application-prefer-dark-theme", &value)
        }

        @Test("A template has the foreground colour of the theme")
        func templateColour() async throws {
            let arrow = try Image.arrow(side: 32)
            view.image = arrow.withRenderingMode(.alwaysTemplate)
            try #require(await window.present(view))
            let light = try await Screenshot.take(of: view)
            set(dark: true)
            defer { set(dark: false) }
            for _ in 0..<5 { await GTK.iterate() }
            let dark = try await Screenshot.take(of: view)
            #expect(light[20, 32] < "ff404040")
            #expect(dark[20, 32] > "ffc0c0c0")
            #expect(light[60, 4] == "00000000" && dark[60, 4] == "00000000")
            view.image = arrow.withRenderingMode(.alwaysOriginal)
            #expect(try await Screenshot.take(of: view)[20, 32] == "ff000000")
        }

        @Test("A translucent template stays translucent")
        func translucentTemplate() throws {
            view.image = try Image.solid([200, 100, 50, 128], format: .rgba8Straight)
                .withRenderingMode(.alwaysTemplate)
            var color = GdkRGBA()
            gtk_style_context_get_color(gtk_widget_get_style_context(view.widget), &color)
            try #require(color.alpha == 1)
            let pixel = Drawing(of: view, width: 8, height: 8)[4, 4]
            #expect(pixel.hasPrefix("80"))
            let red = UInt8((color.red * 128).rounded())
            #expect(abs(Int(pixel.dropFirst(2).prefix(2), radix: 16)! - Int(red)) <= 1)
        }

        @Test("A flippable image is mirrored in a right-to-left layout")
        func rightToLeft() throws {
            let halves = try PixelBuffer.checkered(
                [[255, 0, 0, 255], [0, 0, 255, 255]], width: 2, height: 1)
            let plain = Image(pixels: halves)
            view.image = plain.imageFlippedForRightToLeftLayoutDirection()
            func colors() -> [String] {
                let drawing = Drawing(of: view, width: 16, height: 8)
                return [drawing[1, 4], drawing[14, 4]]
            }
            gtk_widget_set_direction(view.widget, GTK_TEXT_DIR_LTR)
            #expect(colors() == ["ffff0000", "ff0000ff"])
            gtk_widget_set_direction(view.widget, GTK_TEXT_DIR_RTL)
            #expect(colors() == ["ff0000ff", "ffff0000"])
            view.image = plain
            #expect(colors() == ["ffff0000", "ff0000ff"])
        }

        @Test("A flippable image in a window is mirrored in a right-to-left layout")
        func rightToLeftInAWindow() async throws {
            view.image = try Image.arrow(side: 32).imageFlippedForRightToLeftLayoutDirection()
            try #require(await window.present(view))
            let arrow = try await Screenshot.take(of: view)
            gtk_widget_set_direction(view.widget, GTK_TEXT_DIR_RTL)
            let mirrored = try await Screenshot.take(of: view)
            #expect(arrow[12, 8] == "ff000000" && arrow[52, 8] == "00000000")
            #expect(mirrored[12, 8] == "00000000" && mirrored[52, 8] == "ff000000")
        }

        @Test("A mirrored image stays at the place of its content mode")
        func mirroredInPlace() throws {
            let halves = try PixelBuffer.checkered(
                [[255, 0, 0, 255], [0, 0, 255, 255]], width: 2, height: 1)
            view.image = Image(pixels: halves, scale: 0.25).imageFlippedForRightToLeftLayoutDirection()
            view.contentMode = .right
            gtk_widget_set_direction(view.widget, GTK_TEXT_DIR_RTL)
            let drawing = Drawing(of: view, width: 20, height: 4)
            #expect(
                drawing[11, 2] == "00000000" && drawing[13, 2] == "ff0000ff" && drawing[18, 2] == "ffff0000")
        }
    }
}

import CGtk
import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// Dark and high-contrast desktops, and layouts from right to left.
    @Suite(.serialized) @MainActor struct Appearances {
        private let window = TestWindow(width: 120, height: 60)

        private func set(_ property: String, _ type: String, _ fill: (inout GValue) -> Void) {
            var value = GValue()
            g_value_init(&value, g_type_from_name(type))
            fill(&value)
            let settings = UnsafeMutableRawPointer(gtk_settings_get_default())
            g_object_set_property(settings?.assumingMemoryBound(to: GObject.self), property, &value)
            g_value_unset(&value)
        }

        private func set(dark: Bool) {
            set("gtk-application-prefer-dark-theme", "gboolean") { g_value_set_boolean(&$0, dark ? 1 : 0) }
        }

        private func resetTheme() {
            // GTK 4.24 keeps the appearance of a property that is only reset.
            set(dark: false)
            set(theme: "Default")
            for name in ["gtk-theme-name", "gtk-application-prefer-dark-theme"] {
                gtk_settings_reset_property(gtk_settings_get_default(), name)
            }
        }

        private func set(theme: String) {
            set("gtk-theme-name", "gchararray") { g_value_set_string(&$0, theme) }
        }

        @Test("A placeholder follows dark and high contrast at run time, and fills the same frame")
        func placeholder() async throws {
            defer { resetTheme() }
            let view = ImageView()
            view.contentMode = .scaleAspectFit
            let placeholder = try Image.solid([220, 220, 220, 255], width: 40, height: 20).withVariants(
                dark: try .solid([60, 60, 60, 255], width: 40, height: 20),
                highContrast: try .solid([0, 0, 0, 255], width: 40, height: 20),
                highContrastDark: try .solid([255, 255, 255, 255], width: 40, height: 20))
            view.kf.setImage(with: nil as URL?, placeholder: placeholder)
            try #require(await window.present(view))
            #expect(try await Screenshot.take(of: view)[60, 30] == "ffdcdcdc")
            set(dark: true)
            #expect(try await Screenshot.take(of: view)[60, 30] == "ff3c3c3c")
            set(theme: "HighContrast")
            #expect(try await Screenshot.take(of: view)[60, 30] == "ffffffff")
            set(dark: false)
            #expect(try await Screenshot.take(of: view)[60, 30] == "ff000000")
            resetTheme()
            #expect(try await Screenshot.take(of: view)[60, 30] == "ffdcdcdc")
        }

        @Test("An image with variants in a GtkPicture follows the theme")
        func existingWidget() async throws {
            defer { resetTheme() }
            let widget = try #require(gtk_picture_new())
            let frame = WidgetView(wrapping: widget)
            widget.kf?.setImage(
                with: nil as URL?,
                placeholder: try Image.red.withVariants(dark: try .blue))
            try #require(await window.present(frame))
            #expect(try await Screenshot.take(of: frame).box(of: "ffff0000") != nil)
            set(dark: true)
            #expect(await GTK.wait { Screenshot(of: frame)?.box(of: "ff0000ff") != nil })
            #expect(try await Screenshot.take(of: frame).box(of: "ffff0000") == nil)
        }

        @Test("Images with variants in GTK's own widgets and in texts follow the contrast of the portal")
        func portalContrast() async throws {
            defer { DesktopSettings.shared.portalValues = PortalValues() }
            let image = try Image.red.withVariants(highContrast: try .blue)
            let text = TextView()
            text.append(TextAttachment(image: image))
            var frames: [View] = [text]
            for widget in [gtk_picture_new()!, gtk_image_new()!, gtk_button_new()!] {
                widget.kf?.base.image = image
                frames.append(WidgetView(wrapping: widget))
            }
            for frame in frames {
                try #require(await window.present(frame))
                #expect(await GTK.wait { Screenshot(of: frame)?.box(of: "ffff0000") != nil })
                DesktopSettings.shared.portalValues.set("org.freedesktop.appearance", "contrast", to: 1)
                #expect(await GTK.wait { Screenshot(of: frame)?.box(of: "ff0000ff") != nil })
                DesktopSettings.shared.portalValues = PortalValues()
            }
        }

        @Test(
            "The name of a theme says whether it is dark or has high contrast",
            arguments: [
                ("Adwaita", false, false), ("Adwaita-dark", true, false), ("Adwaita:dark", true, false),
                ("HighContrast", false, true), ("HighContrastInverse", true, true),
                ("Default-hc", false, true), ("Default-hc-dark", true, true), ("Breeze-Dark", true, false),
                ("Darkness", false, false), ("", false, false),
            ])
        func themeNames(name: String, isDark: Bool, isHighContrast: Bool) {
            let theme = ThemeName(name)
            #expect(theme.isDark == isDark && theme.isHighContrast == isHighContrast)
        }

        @Test("Settings of the portal are combined, and other settings are ignored")
        func portalValues() {
            var values = PortalValues()
            #expect(!values.reducesMotion && !values.isHighContrast)
            values.set("org.gnome.desktop.interface", "enable-animations", to: 0)
            values.set("org.freedesktop.appearance", "reduced-motion", to: 1)
            values.set("org.gnome.desktop.interface", "enable-animations", to: 1)
            #expect(values.reducesMotion)
            values.set("org.freedesktop.appearance", "reduced-motion", to: 0)
            values.set("org.freedesktop.appearance", "color-scheme", to: 1)
            #expect(values == PortalValues())
            values.set("org.gnome.desktop.a11y.interface", "high-contrast", to: 1)
            #expect(values.isHighContrast)
            values.set("org.freedesktop.appearance", "contrast", to: 7)
            values.set("org.gnome.desktop.a11y.interface", "high-contrast", to: 0)
            #expect(!values.isHighContrast)
        }

        // MARK: Right to left

        /// 120 x 60 points with an indicator of 20 x 20 points, 30 to the right of the centre.
        private func viewWithIndicator() throws -> ImageView {
            let view = ImageView(image: try .solid([255, 255, 255, 255]))
            let square = ImageView(image: try .red)
            square.placement = .center(
                size: CGSize(width: 20, height: 20), offset: CGPoint(x: 30, y: 10))
            view.addSubview(square)
            return view
        }

        @Test("The offset of a subview is mirrored in a right-to-left layout, also at run time")
        func placement() async throws {
            let view = try viewWithIndicator()
            try #require(await window.present(view))
            let red = "ffff0000"
            #expect(
                try await Screenshot.take(of: view).box(of: red)
                    == CGRect(x: 80, y: 30, width: 20, height: 20))
            gtk_widget_set_direction(view.widget, GTK_TEXT_DIR_RTL)
            #expect(view.environment.layoutDirection == .rightToLeft)
            #expect(
                try await Screenshot.take(of: view).box(of: red)
                    == CGRect(x: 20, y: 30, width: 20, height: 20))
        }

        /// In the first half of a flip without perspective, both directions look the same. With perspective,
        /// the side that comes forward is taller.
        @Test("A flip from the left comes from the right in a right-to-left layout")
        func flip() async throws {
            let view = ImageView(image: try .red)
            let clock = ManualAnimationClock()
            view.clock = clock
            try #require(await window.present(view))
            gtk_widget_set_direction(view.widget, GTK_TEXT_DIR_RTL)
            view.transition(.flipFromLeft(1), changes: { view.image = try? .blue })
            #expect(view.runningTransition?.effect == .flip(.fromRight))
            clock.advance(by: 0.25)
            guard GTK.drawsDepth, let renderer = window.renderer else { return }
            let drawing = Drawing(of: view, width: 120, height: 60, margin: 30, by: renderer)
            func height(_ column: Int) -> Int { drawing.column(column).count { $0 != "." } }
            let middle = 30 + 60
            #expect(height(middle + 35) > height(middle - 35))
        }

        @Test("A label aligned at the left stays there when the direction changes")
        func label() async throws {
            let label = Label("ab")
            label.textAlignment = .left
            try #require(await window.present(label))
            let before = try #require(await Screenshot.take(of: label).box { $0 > "80" })
            gtk_widget_set_direction(label.content, GTK_TEXT_DIR_RTL)
            gtk_widget_set_direction(label.widget, GTK_TEXT_DIR_RTL)
            let after = try #require(await Screenshot.take(of: label).box { $0 > "80" })
            #expect(before.minX < 20 && after == before)
        }
    }
}

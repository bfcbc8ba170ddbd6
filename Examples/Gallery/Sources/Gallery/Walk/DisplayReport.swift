import CAdwaita
import Foundation
import KingfisherGTK

/// What the display and the user's settings make of the window. `Tests/Desktop/test-desktop` compares it
/// with what it has asked for.
@MainActor struct DisplayReport: CustomStringConvertible {
    private let entries: [String]

    init(of widget: Widget) {
        let style = adw_style_manager_get_default()
        let view = ImageView()
        // A view has the user's settings once it has a widget.
        _ = view.widget
        let appearance = view.environment.appearance
        let renderer = gtk_widget_get_native(widget).flatMap { gtk_native_get_renderer($0) }
        entries = [
            Self.typeName(gtk_widget_get_display(widget)),
            Self.typeName(renderer),
            String(format: "scale %g", widget.scale),
            adw_style_manager_get_dark(style) == 0 ? "light" : "dark",
            adw_style_manager_get_high_contrast(style) == 0 ? "normal contrast" : "high contrast",
            gtk_widget_get_direction(widget) == GTK_TEXT_DIR_RTL ? "right to left" : "left to right",
            "views: " + (appearance.isDark ? "dark" : "light"),
            appearance.isHighContrast ? "high contrast" : "normal contrast",
        ]
    }

    nonisolated var description: String { "display: " + entries.joined(separator: ", ") }

    private static func typeName(_ object: OpaquePointer?) -> String {
        guard let object else { return "none" }
        return String(cString: g_type_name_from_instance(UnsafeMutablePointer(object)))
    }
}

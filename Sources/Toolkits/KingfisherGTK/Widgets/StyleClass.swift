import CGtk

/// CSS classes of widgets.
@MainActor enum StyleClass {
    /// A button with a background image: padding applies to the title, not to the image.
    static let filled = "kingfisher-filled"
    /// A spinner that does not spin and shows its icon as background. `animation: none` alone does not stop
    /// the spinner of GTK 4.24, which fades in and out and moves without CSS.
    static let still = "kingfisher-still"
    /// The scrolled window of a zoomable image.
    static let zoom = "kingfisher-zoom"

    private static let style: OpaquePointer = {
        let style = gtk_css_provider_new()!
        let rules = """
            .\(filled) { padding: 0; }
            .\(filled) box { margin: 5px 10px; }
            .\(still) {
                opacity: 1; animation: none; -gtk-icon-filter: opacity(0);
                background: -gtk-icontheme("process-working-symbolic") center / contain no-repeat;
            }
            .\(zoom) { background: #1e1e1e; }
            kingfisherzoom:focus-visible { outline: 2px solid alpha(white, 0.7); outline-offset: -3px; }
            """
        gtk_css_provider_load_from_data(style, rules, -1)
        return OpaquePointer(style)
    }()

    static func set(_ name: String, of widget: UnsafeMutablePointer<GtkWidget>, _ isSet: Bool) {
        guard isSet != (gtk_widget_has_css_class(widget, name) != 0) else { return }
        if isSet {
            if [filled, still, zoom].contains(name) { addStyle(to: gtk_widget_get_display(widget)) }
            gtk_widget_add_css_class(widget, name)
        } else {
            gtk_widget_remove_css_class(widget, name)
        }
    }

    /// Marks the display, because adding the provider again would restyle every widget of the display.
    private static func addStyle(to display: OpaquePointer?) {
        guard let display else { return }
        let object = UnsafeMutableRawPointer(display).assumingMemoryBound(to: GObject.self)
        guard g_object_get_data(object, filled) == nil else { return }
        g_object_set_data(object, filled, UnsafeMutableRawPointer(style))
        gtk_style_context_add_provider_for_display(
            display, style, guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION - 1))
    }
}

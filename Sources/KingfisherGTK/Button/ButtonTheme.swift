import CGtk

/// How our buttons differ from the theme's.
@MainActor enum ButtonTheme {
    /// The CSS class of a button with an image behind everything: the theme's padding is around the title,
    /// not around the image.
    static let filled = "kingfisher-filled"

    private static let style: OpaquePointer = {
        let style = gtk_css_provider_new()!
        let rules = """
            .\(filled) { padding: 0; }
            .\(filled) box { margin: 5px 10px; }
            """
        gtk_css_provider_load_from_data(style, rules, -1)
        return OpaquePointer(style)
    }()

    /// Puts the CSS class on `button`, or takes it off.
    static func set(_ name: String, of button: UnsafeMutablePointer<GtkWidget>, _ isSet: Bool) {
        guard isSet != (gtk_widget_has_css_class(button, name) != 0) else { return }
        if isSet {
            if name == filled { addStyle(to: gtk_widget_get_display(button)) }
            gtk_widget_add_css_class(button, name)
        } else {
            gtk_widget_remove_css_class(button, name)
        }
    }

    /// Tells assistive technology what the button is called.
    static func setLabel(of button: UnsafeMutablePointer<GtkWidget>, _ label: String?) {
        cgtk_set_accessible_label(button, label?.withoutNUL)
    }

    /// Adding it once more would have every widget of the display styled anew, so the display keeps a mark of
    /// it.
    private static func addStyle(to display: OpaquePointer?) {
        guard let display else { return }
        let object = UnsafeMutableRawPointer(display).assumingMemoryBound(to: GObject.self)
        guard g_object_get_data(object, filled) == nil else { return }
        g_object_set_data(object, filled, UnsafeMutableRawPointer(style))
        gtk_style_context_add_provider_for_display(
            display, style, guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION - 1))
    }
}

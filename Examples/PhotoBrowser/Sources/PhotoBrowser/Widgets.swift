internal import KingfisherGTK

typealias Widget = UnsafeMutablePointer<GtkWidget>

/// Short forms of GTK's functions.
@MainActor extension UnsafeMutablePointer<GtkWidget> {
    var opaque: OpaquePointer { OpaquePointer(self) }

    static func column() -> Widget { gtk_box_new(GTK_ORIENTATION_VERTICAL, 0) }

    static func bar() -> Widget {
        let bar = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0)!
        gtk_widget_add_css_class(bar, "toolbar")
        return bar
    }

    func with(_ children: Widget...) -> Widget {
        let box = UnsafeMutableRawPointer(self).assumingMemoryBound(to: GtkBox.self)
        for child in children { gtk_box_append(box, child) }
        return self
    }

    /// A button with an icon. Its name is its tooltip, and what screen readers say.
    static func button(_ icon: String, _ name: String, toggles: Bool = false) -> Widget {
        let button = toggles ? gtk_toggle_button_new()! : gtk_button_new()!
        let object = UnsafeMutableRawPointer(button).assumingMemoryBound(to: GtkButton.self)
        gtk_button_set_icon_name(object, icon)
        gtk_widget_set_tooltip_text(button, name)
        kf_gtk_set_accessible_label(button, name)
        return button
    }

    /// A text that takes the rest of the width: one line, which is truncated there, or several.
    static func label(wraps: Bool = false) -> Widget {
        let label = gtk_label_new(nil)!
        gtk_label_set_wrap(label.opaque, wraps ? 1 : 0)
        gtk_label_set_wrap_mode(label.opaque, PANGO_WRAP_WORD_CHAR)
        gtk_label_set_ellipsize(label.opaque, wraps ? PANGO_ELLIPSIZE_NONE : PANGO_ELLIPSIZE_MIDDLE)
        gtk_widget_set_hexpand(label, 1)
        return label
    }
}

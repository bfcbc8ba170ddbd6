import KingfisherGTK

typealias Widget = UnsafeMutablePointer<GtkWidget>

extension UnsafeMutablePointer {
    /// GTK's casts between a class and its parents are macros, which Swift does not see.
    func cast<Other>(to: Other.Type = Other.self) -> UnsafeMutablePointer<Other> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: Other.self)
    }

    /// The same object for functions on a class whose structure GTK hides.
    var opaque: OpaquePointer { OpaquePointer(self) }
}

/// How a widget looks and where it lies; each returns the widget, so that these chain.
@MainActor extension UnsafeMutablePointer<GtkWidget> {
    /// Adds CSS classes, of libadwaita or of `Style`.
    @discardableResult func styled(_ classes: String...) -> Widget {
        for name in classes { gtk_widget_add_css_class(self, name) }
        return self
    }

    @discardableResult func padded(_ horizontal: Int32, _ vertical: Int32) -> Widget {
        gtk_widget_set_margin_start(self, horizontal)
        gtk_widget_set_margin_end(self, horizontal)
        gtk_widget_set_margin_top(self, vertical)
        gtk_widget_set_margin_bottom(self, vertical)
        return self
    }

    @discardableResult func aligned(
        _ horizontal: GtkAlign = GTK_ALIGN_FILL, _ vertical: GtkAlign = GTK_ALIGN_FILL
    ) -> Widget {
        gtk_widget_set_halign(self, horizontal)
        gtk_widget_set_valign(self, vertical)
        return self
    }

    @discardableResult func expanding(horizontally: Bool = true, vertically: Bool = true) -> Widget {
        gtk_widget_set_hexpand(self, horizontally ? 1 : 0)
        gtk_widget_set_vexpand(self, vertically ? 1 : 0)
        return self
    }

    /// The least size in points; -1 leaves a side as it is.
    @discardableResult func sized(width: Int32 = -1, height: Int32 = -1) -> Widget {
        gtk_widget_set_size_request(self, width, height)
        return self
    }

    /// Cuts what the widget draws at its edges, which a style class may have rounded.
    @discardableResult func clipped() -> Widget {
        gtk_widget_set_overflow(self, GTK_OVERFLOW_HIDDEN)
        return self
    }

    @discardableResult func explained(_ tooltip: String) -> Widget {
        gtk_widget_set_tooltip_text(self, tooltip)
        return self
    }

    /// Adds `child` at the end of a box.
    func append(_ child: Widget) {
        gtk_box_append(cast(), child)
    }

    func setText(_ text: String) {
        gtk_label_set_text(opaque, text)
    }

    var isOnScreen: Bool { gtk_widget_get_mapped(self) != 0 }
}

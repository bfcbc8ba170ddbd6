import KingfisherGTK

typealias Widget = UnsafeMutablePointer<GtkWidget>

extension UnsafeMutablePointer {
    /// Casts to a parent or derived class; GTK's own casts are macros, which Swift does not import.
    func cast<Other>(to: Other.Type = Other.self) -> UnsafeMutablePointer<Other> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: Other.self)
    }

    /// The object for functions on a class with an opaque structure.
    var opaque: OpaquePointer { OpaquePointer(self) }
}

/// Appearance and layout; each function returns the widget, so that calls chain.
@MainActor extension UnsafeMutablePointer<GtkWidget> {
    /// Adds CSS classes of libadwaita or `Style`.
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

    /// Sets the minimum size in points; -1 leaves a side unchanged.
    @discardableResult func sized(width: Int32 = -1, height: Int32 = -1) -> Widget {
        gtk_widget_set_size_request(self, width, height)
        return self
    }

    /// Clips the content at the edges of the widget, which a style class may round.
    @discardableResult func clipped() -> Widget {
        gtk_widget_set_overflow(self, GTK_OVERFLOW_HIDDEN)
        return self
    }

    @discardableResult func explained(_ tooltip: String) -> Widget {
        gtk_widget_set_tooltip_text(self, tooltip)
        return self
    }

    func append(_ child: Widget) {
        gtk_box_append(cast(), child)
    }

    func setText(_ text: String) {
        gtk_label_set_text(opaque, text)
    }

    /// Pixels per point of the display. Images processed with `.scaleFactor(scale)` are sharp on it.
    var scale: Double {
        let surface = gtk_widget_get_native(self).flatMap { gtk_native_get_surface($0) }
        let exact = surface.map { kf_gtk_surface_scale($0) } ?? 0
        return exact > 0 ? exact : Double(gtk_widget_get_scale_factor(self))
    }

    var isOnScreen: Bool { gtk_widget_get_mapped(self) != 0 }
}

import CAdwaita
import KingfisherGTK

/// Factory functions for the widgets of the pages.
@MainActor extension UnsafeMutablePointer<GtkWidget> {
    static func column(spacing: Int32 = 0, _ children: Widget...) -> Widget {
        box(GTK_ORIENTATION_VERTICAL, spacing, children)
    }

    static func row(spacing: Int32 = 0, _ children: Widget...) -> Widget {
        box(GTK_ORIENTATION_HORIZONTAL, spacing, children)
    }

    private static func box(_ orientation: GtkOrientation, _ spacing: Int32, _ children: [Widget]) -> Widget {
        let box = gtk_box_new(orientation, spacing)!
        for child in children { box.append(child) }
        return box
    }

    /// A left-aligned line, truncated with an ellipsis.
    ///
    /// The natural width is 12 characters, so that a long text does not widen its column.
    static func label(_ text: String, _ classes: String...) -> Widget {
        let label = gtk_label_new(text)!
        for name in classes { label.styled(name) }
        gtk_label_set_xalign(label.opaque, 0)
        gtk_label_set_ellipsize(label.opaque, PANGO_ELLIPSIZE_END)
        gtk_label_set_max_width_chars(label.opaque, 12)
        return label
    }

    static func paragraph(_ text: String, _ classes: String...) -> Widget {
        let label = gtk_label_new(text)!
        for name in classes { label.styled(name) }
        gtk_label_set_xalign(label.opaque, 0)
        gtk_label_set_wrap(label.opaque, 1)
        gtk_label_set_wrap_mode(label.opaque, PANGO_WRAP_WORD_CHAR)
        gtk_label_set_max_width_chars(label.opaque, 12)
        return label
    }

    static func button(_ title: String, _ action: @escaping @MainActor () -> Void) -> Widget {
        let button = gtk_button_new_with_label(title)!
        connect(button, "clicked", to: action)
        return button
    }

    static func button(
        icon: String, tooltip: String, _ action: @escaping @MainActor () -> Void
    ) -> Widget {
        let button = gtk_button_new_from_icon_name(icon)!
        connect(button, "clicked", to: action)
        return button.explained(tooltip)
    }

    static func icon(_ name: String) -> Widget {
        gtk_image_new_from_icon_name(name)
    }

    static func scroller(_ content: Widget, maximumWidth: Int32 = 1100) -> Widget {
        let clamp = adw_clamp_new()!
        adw_clamp_set_maximum_size(clamp.opaque, maximumWidth)
        adw_clamp_set_tightening_threshold(clamp.opaque, maximumWidth)
        adw_clamp_set_child(clamp.opaque, content)
        return scroller(around: clamp)
    }

    static func scroller(around content: Widget) -> Widget {
        let scroller = gtk_scrolled_window_new()!
        gtk_scrolled_window_set_policy(scroller.opaque, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
        gtk_scrolled_window_set_child(scroller.opaque, content)
        return scroller.expanding()
    }

    /// Cells of equal size in as many columns as fit.
    static func tiles(_ cells: [Widget], columns: ClosedRange<UInt32> = 1...4) -> Widget {
        let tiles = gtk_flow_box_new()!
        gtk_flow_box_set_homogeneous(tiles.opaque, 1)
        gtk_flow_box_set_selection_mode(tiles.opaque, GTK_SELECTION_NONE)
        gtk_flow_box_set_min_children_per_line(tiles.opaque, columns.lowerBound)
        gtk_flow_box_set_max_children_per_line(tiles.opaque, columns.upperBound)
        gtk_flow_box_set_row_spacing(tiles.opaque, 12)
        gtk_flow_box_set_column_spacing(tiles.opaque, 12)
        for cell in cells {
            // A custom child that takes no keyboard focus from its content.
            let child = gtk_flow_box_child_new()!
            gtk_widget_set_focusable(child, 0)
            gtk_flow_box_child_set_child(child.cast(), cell)
            gtk_flow_box_append(tiles.opaque, child)
        }
        return tiles.aligned(GTK_ALIGN_FILL, GTK_ALIGN_START)
    }
}

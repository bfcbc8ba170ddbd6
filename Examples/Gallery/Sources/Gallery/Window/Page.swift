import KingfisherGTK

/// A sheet of equal cells, four in a row.
@MainActor final class Page {
    let widget: Widget
    let cells: [Cell]

    init(title: String, cells: [Cell]) {
        self.cells = cells
        widget = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
        // The page outlives a window that the user closes while pictures are still on their way.
        g_object_ref_sink(widget)
        gtk_widget_add_css_class(widget, "page")
        let label = gtk_label_new(title)!
        gtk_widget_add_css_class(label, "title")
        gtk_widget_set_halign(label, GTK_ALIGN_START)
        gtk_box_append(cast(widget), label)
        gtk_box_append(cast(widget), Self.grid(of: cells))
    }

    isolated deinit {
        g_object_unref(widget)
    }

    private static func grid(of cells: [Cell]) -> Widget {
        let widget = gtk_grid_new()!
        let grid: UnsafeMutablePointer<GtkGrid> = cast(widget)
        gtk_grid_set_row_homogeneous(grid, 1)
        gtk_grid_set_column_homogeneous(grid, 1)
        gtk_grid_set_row_spacing(grid, 16)
        gtk_grid_set_column_spacing(grid, 16)
        gtk_widget_set_hexpand(widget, 1)
        gtk_widget_set_vexpand(widget, 1)
        for (index, cell) in cells.enumerated() {
            gtk_grid_attach(grid, cell.widget, Int32(index % 4), Int32(index / 4), 1, 1)
        }
        return widget
    }

    /// Waits until GTK has drawn the page as it is now.
    func draw() async throws {
        guard let clock = gtk_widget_get_frame_clock(widget) else {
            throw Failure("the window is not on screen")
        }
        // The frame under way may have passed its layout already, so the one after it has to end, too.
        let last = gdk_frame_clock_get_frame_counter(clock) + 2
        try await wait(for: "frame on screen") {
            gtk_widget_queue_draw(widget)
            return gtk_widget_get_mapped(widget) != 0 && gdk_frame_clock_get_frame_counter(clock) > last
        }
    }
}

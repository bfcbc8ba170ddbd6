import KingfisherGTK

/// Views one above the other, or side by side.
@MainActor func column(_ views: View..., isRow: Bool = false, spacing: Int32 = 12) -> View {
    let box = gtk_box_new(isRow ? GTK_ORIENTATION_HORIZONTAL : GTK_ORIENTATION_VERTICAL, spacing)!
    for view in views {
        gtk_box_append(UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self), view.widget)
    }
    return WidgetView(wrapping: box)
}

import KingfisherGTK

/// A frame for an image view, which covers it wholly.
@MainActor enum PhotoFrame {
    /// A widget that shows `view` in at least this size, with the corners of the style class `photo`.
    ///
    /// By itself an image view asks for the size of its picture; in a frame it takes what the layout gives it.
    static func make(around view: ImageView, width: Int32, height: Int32) -> Widget {
        let frame = gtk_overlay_new()!
        gtk_overlay_set_child(
            frame.opaque, gtk_box_new(GTK_ORIENTATION_VERTICAL, 0).sized(width: width, height: height))
        gtk_overlay_add_overlay(frame.opaque, view.widget)
        return frame.styled("photo").clipped()
    }
}

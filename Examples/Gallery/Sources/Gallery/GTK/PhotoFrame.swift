import KingfisherGTK

@MainActor enum PhotoFrame {
    /// A widget of at least this size, covered by `content`, with the corners of the style class `photo`.
    ///
    /// The preferred size of an image view is that of its image; the frame hides it from the layout.
    static func make(around content: Widget, width: Int32 = 190, height: Int32 = 150) -> Widget {
        let frame = gtk_overlay_new()!
        let spacer = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0).sized(width: width, height: height)
        gtk_overlay_set_child(frame.opaque, spacer)
        gtk_overlay_add_overlay(frame.opaque, content)
        return frame.styled("photo").clipped()
    }
}

import KingfisherGTK

/// A frame for an image or for anything else on a card.
@MainActor enum PhotoFrame {
    /// A widget of at least this size, covered by `content`, with the corners of the style class `photo`.
    ///
    /// By itself an image view asks for the size of its image; in a frame it takes what the
    /// layout gives it.
    static func make(around content: Widget, width: Int32 = 190, height: Int32 = 150) -> Widget {
        let frame = gtk_overlay_new()!
        let room = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0).sized(width: width, height: height)
        gtk_overlay_set_child(frame.opaque, room)
        gtk_overlay_add_overlay(frame.opaque, content)
        return frame.styled("photo").clipped()
    }
}

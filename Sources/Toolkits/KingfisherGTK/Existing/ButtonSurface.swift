import CGtk

/// Shows an image in a button through a child GtkPicture, and restores the original content afterwards.
@MainActor final class ButtonSurface: ImageSurface {
    private enum Content {
        case nothing
        case label(String)
        case icon(name: String)
        /// Retained.
        case child(UnsafeMutablePointer<GtkWidget>)
    }

    private let button: UnsafeMutablePointer<GtkButton>
    private var original = Content.nothing
    /// Retained, so that no other widget can have its address.
    private var image: UnsafeMutablePointer<GtkWidget>?

    init(button: UnsafeMutablePointer<GtkButton>) {
        self.button = button
    }

    isolated deinit { release() }

    func show(_ paintable: Paintable) {
        if !showsImage {
            release()
            original = content
            let new = gtk_picture_new()!
            g_object_ref_sink(UnsafeMutableRawPointer(new))
            gtk_button_set_child(button, new)
            image = new
        }
        paintable.withPointer { gtk_picture_set_paintable(OpaquePointer(image), $0) }
    }

    func clear() {
        // If the program has set other content in the meantime, that stays.
        guard showsImage else { return }
        switch original {
        case .nothing: gtk_button_set_child(button, nil)
        case .label(let text): gtk_button_set_label(button, text)
        case .icon(let name): gtk_button_set_icon_name(button, name)
        case .child(let child): gtk_button_set_child(button, child)
        }
        release()
    }

    private var showsImage: Bool { image != nil && gtk_button_get_child(button) == image }

    private var content: Content {
        if let text = gtk_button_get_label(button) { return .label(String(cString: text)) }
        if let name = gtk_button_get_icon_name(button) { return .icon(name: String(cString: name)) }
        guard let child = gtk_button_get_child(button) else { return .nothing }
        g_object_ref(UnsafeMutableRawPointer(child))
        return .child(child)
    }

    private func release() {
        if let image { g_object_unref(UnsafeMutableRawPointer(image)) }
        if case .child(let child) = original { g_object_unref(UnsafeMutableRawPointer(child)) }
        (image, original) = (nil, .nothing)
    }
}

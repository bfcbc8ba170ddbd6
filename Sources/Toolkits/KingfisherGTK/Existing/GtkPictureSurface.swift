import CGtk

@MainActor final class GtkPictureSurface: ImageSurface {
    private let image: OpaquePointer
    /// Retained, so that no other paintable can have its address.
    private var shown: Paintable?

    init(image: OpaquePointer) {
        self.image = image
    }

    func show(_ paintable: Paintable) {
        paintable.withPointer { gtk_picture_set_paintable(image, $0) }
        shown = paintable
    }

    func clear() {
        if let shown, shown.withPointer({ $0 == gtk_picture_get_paintable(image) }) {
            gtk_picture_set_paintable(image, nil)
        }
        shown = nil
    }
}

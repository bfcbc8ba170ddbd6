import CGtk

@MainActor final class IconSurface: ImageSurface {
    private let image: OpaquePointer
    /// Retained, so that no other paintable can have its address.
    private var shown: Paintable?

    init(image: OpaquePointer) {
        self.image = image
    }

    func show(_ paintable: Paintable) {
        paintable.withPointer { gtk_image_set_from_paintable(image, $0) }
        shown = paintable
    }

    func clear() {
        if let shown, shown.withPointer({ $0 == gtk_image_get_paintable(image) }) { gtk_image_clear(image) }
        shown = nil
    }
}

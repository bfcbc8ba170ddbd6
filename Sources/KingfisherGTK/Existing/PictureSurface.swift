import CGtk

/// A GtkPicture with a picture in place of its own.
@MainActor final class PictureSurface: ImageSurface {
    private let picture: OpaquePointer
    /// Kept, so that no other paintable can be at its address.
    private var shown: Paintable?

    init(picture: OpaquePointer) {
        self.picture = picture
    }

    func show(_ paintable: Paintable) {
        paintable.withPointer { gtk_picture_set_paintable(picture, $0) }
        shown = paintable
    }

    func clear() {
        if let shown, shown.withPointer({ $0 == gtk_picture_get_paintable(picture) }) {
            gtk_picture_set_paintable(picture, nil)
        }
        shown = nil
    }
}

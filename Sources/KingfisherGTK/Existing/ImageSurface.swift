import CGtk

/// How a class of widgets shows a picture. Only used while the widget is there.
@MainActor protocol ImageSurface {
    /// Shows `paintable`, a GdkPaintable, instead of what is there.
    func show(_ paintable: OpaquePointer)

    /// Shows no picture of ours.
    func clear()
}

struct PictureSurface: ImageSurface {
    let picture: OpaquePointer

    func show(_ paintable: OpaquePointer) { gtk_picture_set_paintable(picture, paintable) }

    func clear() { gtk_picture_set_paintable(picture, nil) }
}

struct IconSurface: ImageSurface {
    let image: OpaquePointer

    func show(_ paintable: OpaquePointer) { gtk_image_set_from_paintable(image, paintable) }

    func clear() { gtk_image_clear(image) }
}

import CGtk
public import Kingfisher
import KingfisherImage

extension KingfisherWrapper where Base == Image {
    /// The image as a GdkTexture, for every function of GTK and GDK that takes one; nil if there is not
    /// enough memory.
    ///
    /// The caller owns the reference: release it by `g_object_unref`, on the main thread if the texture was
    /// drawn. Callable from any thread. Grey, 16-bit and transparent images are converted, which takes
    /// milliseconds for large ones.
    ///
    /// The texture has the pixels that views draw, upright, in sRGB, with eight bits per channel; its size is
    /// in pixels. While views show the image, it is their texture, unless the image is rotated. Of an
    /// animation it has the first frame, and variants are ignored; see `gdkPaintable()`.
    public func gdkTexture() -> OpaquePointer? {
        let texture = base.kf.normalized.pixels.flatMap { TextureCache.shared.texture(for: $0) }
        return texture?.withPaintable { owned($0) }
    }

    /// A GdkPaintable that shows the image with its size in points, plays its animation, and has the variant
    /// for the desktop's appearance.
    ///
    /// The caller owns the reference: release it by `g_object_unref`, on the main thread, after GTK has taken
    /// its own. An animation plays while the paintable is drawn, at its own pace in each paintable; it shows
    /// its first frame if the user has turned animations off. A template has its own colours. GTK must be
    /// initialised.
    @MainActor public func gdkPaintable() -> OpaquePointer {
        AnimatedImageView(image: base).kf.gdkPaintable()
    }
}

extension KingfisherWrapper where Base: ImageView {
    /// A GdkPaintable that follows the view's image: loads, placeholders, frames and variants, upright and
    /// with the size of the image in points. Each call returns the same one, as long as it is referenced.
    ///
    /// The caller owns the reference: release it by `g_object_unref`, on the main thread, after GTK has taken
    /// its own. The paintable retains the view. It shows neither the view's subviews nor its content mode,
    /// opacity and transitions.
    ///
    /// The view needs no widget: then it plays while the paintable is drawn, its transitions end immediately,
    /// and it has no layout, so do not use `.decodesToViewSize`. A view with a widget plays while the widget
    /// is on screen. GTK must be initialised.
    @MainActor public func gdkPaintable() -> OpaquePointer {
        let content = ViewContent.of(base)
        if let paintable = content.paintable { return owned(paintable) }
        return Paintable(content).withPointer { owned($0) }
    }
}

private func owned(_ object: OpaquePointer) -> OpaquePointer {
    g_object_ref(UnsafeMutableRawPointer(object))
    return object
}

import CGtk
import Kingfisher

/// Connects a zoomable image view to its scrolled window. Assistive technology sees the canvas, which has the
/// keyboard focus.
@MainActor final class ZoomAdapter: ContainerAdapter {
    init(_ view: ZoomableImageView) {
        super.init(view, wrapping: view.content)
    }

    override var accessibleWidget: UnsafeMutablePointer<GtkWidget> {
        (view as? ZoomableImageView)?.canvas.widget ?? widget
    }
}

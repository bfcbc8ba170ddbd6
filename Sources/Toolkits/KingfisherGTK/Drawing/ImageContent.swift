import CGtk
import Foundation
import KingfisherImage

/// An image for GTK's own widgets, upright and with its size in points; templates take the surrounding
/// colour.
@MainActor final class ImageContent: PaintableContent {
    var paintable: OpaquePointer?
    private let image: Image
    private let style: () -> ImageStyle?
    private var drawable: DrawableImage?

    init(_ image: Image, style: @escaping () -> ImageStyle?) {
        self.image = image
        self.style = style
    }

    isolated deinit { DesktopSettings.shared.remove(self) }

    var size: CGSize { image.size }

    func draw(on snapshot: OpaquePointer, size: CGSize) {
        guard size.width > 0, size.height > 0 else { return }
        let variant = image.variant(for: DesktopSettings.shared.appearance)
        if drawable?.image !== variant { drawable = DrawableImage(variant) }
        let frame = CGRect(origin: .zero, size: size)
        if let style = style() {
            drawable?.draw(in: frame, on: snapshot, style: style)
        } else {
            drawable?.draw(in: frame, on: snapshot)
        }
    }
}

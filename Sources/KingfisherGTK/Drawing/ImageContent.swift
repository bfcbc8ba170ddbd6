import CGtk
import Foundation
import KingfisherImage

/// An image for GTK's own widgets: as large as its points, upright, a template in the colour of its
/// surroundings.
@MainActor final class ImageContent: PaintableContent {
    private let image: Image
    private let style: () -> ImageStyle?
    private var drawable: DrawableImage?

    /// Shows `image`; `style` is asked at each drawing and tells what the surroundings lend.
    init(_ image: Image, style: @escaping () -> ImageStyle?) {
        self.image = image
        self.style = style
    }

    var size: CGSize { image.size }

    func draw(on snapshot: OpaquePointer, size: CGSize) {
        guard size.width > 0, size.height > 0 else { return }
        if drawable == nil { drawable = DrawableImage(image) }
        let frame = CGRect(origin: .zero, size: size)
        if let style = style() {
            drawable?.draw(in: frame, on: snapshot, style: style)
        } else {
            drawable?.draw(in: frame, on: snapshot)
        }
    }
}

import Foundation
import Kingfisher

struct ImagePlacement: Hashable, Sendable {
    let size: CGSize
    let contentMode: ViewContentMode
    /// Device pixels per point, including the transforms of the view and its superviews.
    let scale: CGFloat

    @MainActor init(of view: ImageView, size: CGSize, scaleFactor: CGFloat) {
        self.size = size
        contentMode = view.contentMode
        // A view that was scaled down is likely to grow again; an enlarged one needs the pixels now.
        let views = sequence(first: view as View, next: \.superview)
        scale = scaleFactor * max(1, views.reduce(1) { $0 * $1.magnification })
    }
}

extension View {
    fileprivate var magnification: Double {
        let parts = TransformParts(transform)
        return max(abs(parts.scaleX), abs(parts.scaleY))
    }
}

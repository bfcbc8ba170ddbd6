import Foundation
import Kingfisher

/// Where on screen a view shows its images.
struct ImagePlacement: Hashable, Sendable {
    /// The view's size in points; zero before the first layout.
    let size: CGSize
    let contentMode: ViewContentMode
    /// Pixels of the screen per point, transforms included.
    let scale: CGFloat

    /// The place that `view` has when it is drawn at `size`.
    @MainActor init(of view: ImageView, size: CGSize, scaleFactor: CGFloat) {
        self.size = size
        contentMode = view.contentMode
        // A view that has been made small is likely to grow again; one that was enlarged needs the pixels
        // now.
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

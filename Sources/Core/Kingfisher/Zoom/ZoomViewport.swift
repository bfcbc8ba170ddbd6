package import Foundation
package import KingfisherImage

/// The part of an image that a view shows. Lengths are in device pixels, from the view's top left corner,
/// unless a name says otherwise. The image has the same position in both text directions.
package struct ZoomViewport: Equatable, Sendable {
    /// The largest zoom, unless the image fits at a larger one.
    package static let largestZoom = 20.0

    package let imageSize: PixelSize
    package private(set) var viewSize: CGSize
    /// Device pixels per image pixel.
    package private(set) var zoom: Double
    /// Whether the zoom follows the size of the view.
    package private(set) var isFitted = true
    /// The distance from the image's top left corner to that of its visible part; zero in a direction in
    /// which all of the image is visible.
    package private(set) var offset = CGPoint.zero

    /// Shows all of the image.
    package init(imageSize: PixelSize, viewSize: CGSize) {
        self.imageSize = imageSize
        self.viewSize = viewSize
        zoom = 1
        zoom = fitZoom
    }

    /// The zoom at which all of the image is visible; at most 1, so that a small image stays sharp.
    package var fitZoom: Double {
        guard !imageSize.isEmpty, viewSize.width >= 1, viewSize.height >= 1 else { return 1 }
        return min(
            1, viewSize.width / Double(imageSize.width), viewSize.height / Double(imageSize.height))
    }

    /// The size of the whole image.
    package var contentSize: CGSize {
        CGSize(width: Double(imageSize.width) * zoom, height: Double(imageSize.height) * zoom)
    }

    /// The largest offset.
    package var scrollableSize: CGSize {
        let content = contentSize
        // A fitted image must not scroll by a rounding error.
        let (x, y) = (content.width - viewSize.width, content.height - viewSize.height)
        return CGSize(width: x > 1e-6 ? x : 0, height: y > 1e-6 ? y : 0)
    }

    /// The position of the image's top left corner. An image smaller than the view is centred.
    package var imageOrigin: CGPoint {
        let content = contentSize
        return CGPoint(
            x: content.width < viewSize.width ? (viewSize.width - content.width) / 2 : -offset.x,
            y: content.height < viewSize.height ? (viewSize.height - content.height) / 2 : -offset.y)
    }

    /// The point at `point` of the view, in image pixels.
    package func imagePoint(at point: CGPoint) -> CGPoint {
        let origin = imageOrigin
        return CGPoint(x: (point.x - origin.x) / zoom, y: (point.y - origin.y) / zoom)
    }

    /// The visible part of the image, in image pixels.
    package var visibleRect: CGRect {
        let origin = imagePoint(at: .zero)
        let visible = CGRect(
            origin: origin, size: CGSize(width: viewSize.width / zoom, height: viewSize.height / zoom))
        let image = CGRect(x: 0, y: 0, width: imageSize.width, height: imageSize.height)
        let part = visible.intersection(image)
        return part.isNull ? .zero : part
    }

    /// Keeps the whole image visible if it was, otherwise the image point in the centre and the zoom.
    package mutating func resize(to newSize: CGSize) {
        let center = imagePoint(at: self.center)
        viewSize = newSize
        if isFitted {
            fit()
        } else {
            setZoom(zoom, showing: center, at: self.center)
        }
    }

    /// Shows all of the image.
    package mutating func fit() {
        zoom = fitZoom
        isFitted = true
        offset = .zero
    }

    /// Changes the zoom, within its limits. The image point at `anchor`, or in the centre of the view, stays
    /// there unless the image would not fill the view any more.
    package mutating func setZoom(_ newZoom: Double, at anchor: CGPoint? = nil) {
        let anchor = anchor ?? center
        setZoom(newZoom, showing: imagePoint(at: anchor), at: anchor)
    }

    /// Changes the zoom, and moves the image so that `imagePoint`, in image pixels, is at `anchor`.
    package mutating func setZoom(_ newZoom: Double, showing imagePoint: CGPoint, at anchor: CGPoint) {
        guard newZoom.isFinite else { return }
        let fitZoom = fitZoom
        zoom = min(max(newZoom, fitZoom), Self.largestZoom)
        isFitted = zoom == fitZoom
        scroll(to: CGPoint(x: imagePoint.x * zoom - anchor.x, y: imagePoint.y * zoom - anchor.y))
    }

    /// Changes the offset, within its limits.
    package mutating func scroll(to newOffset: CGPoint) {
        let limit = scrollableSize
        offset = CGPoint(
            x: min(max(newOffset.x, 0), limit.width), y: min(max(newOffset.y, 0), limit.height))
    }

    private var center: CGPoint { CGPoint(x: viewSize.width / 2, y: viewSize.height / 2) }

    // MARK: Steps

    /// The zoom `count` steps up, or down if it is negative. Four steps double it. Steps stop at 1:1, so that
    /// it can be reached from every zoom.
    package func zoom(steppedBy count: Double) -> Double {
        let new = zoom * exp2(count / 4)
        return (zoom - 1) * (new - 1) < 0 || abs(new - 1) < 1e-9 ? 1 : new
    }

    /// The zoom after a double click: all of the image, or 1:1 if all of it is visible.
    package var toggledZoom: Double { isFitted ? 1 : fitZoom }
}

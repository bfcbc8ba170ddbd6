import CGtk
import Foundation
import Kingfisher

@MainActor final class ImageViewAdapter: ContainerAdapter {
    private var shown: DrawableImage?
    private var previous: DrawableImage?
    private let images = PreparedTextures()
    private var hover: HoverTracker?

    private var imageView: ImageView? { view as? ImageView }

    init(_ view: ImageView) {
        super.init(view)
        images.onReady = { [weak self] in
            if let self { gtk_widget_queue_draw(widget) }
        }
        updatePlacement()
        updateHover()
    }

    // Before the superclass releases the widget, which the tracker uses.
    isolated deinit { hover = nil }

    nonisolated override func prepare(_ image: Image) { images.prepare(image) }

    override var contentSize: CGSize { imageView?.image?.size ?? .zero }

    override func viewDidChange(_ change: ViewChange) {
        switch change {
        case .accessibility, .scrolling: return super.viewDidChange(change)
        default: updatePlacement()
        }
        // While the widget is not mapped, no drawing releases images that are no longer shown.
        if gtk_widget_get_mapped(widget) == 0 {
            (shown, previous) = (nil, nil)
            images.forget()
        } else if let imageView {
            let image = imageView.displayedImage
            // The image may be the origin of a transition.
            if image == nil, shown != nil { (previous, shown) = (shown, nil) }
            // Starts the background work before the next frame.
            images.begin(image, demand: demand(of: image, size: display.size))
        }
        if case .animation = change { updateHover() }
        super.viewDidChange(change)
    }

    override func displayDidChange() {
        updatePlacement()
        updateHover()
        super.displayDidChange()
    }

    private func updateHover() {
        guard let imageView, imageView.playsOnHover else {
            hover = nil
            return
        }
        if hover == nil {
            hover = HoverTracker(widget) { [weak imageView] in imageView?.isHovered = $0 }
        }
        hover?.update()
    }

    /// Passes the placement to loads, which prepare textures on other threads.
    private func updatePlacement() {
        if let imageView { images.place = place(of: imageView, size: display.size) }
    }

    private func place(of view: ImageView, size: CGSize) -> ImagePlacement {
        ImagePlacement(of: view, size: size, scaleFactor: display.scaleFactor)
    }

    private func demand(of image: Image?, size: CGSize) -> PixelDemand? {
        guard let image, let imageView else { return nil }
        let still = imageView.image?.variant(for: imageView.environment.appearance)
        let isFrame = image === imageView.displayedImage && image !== still
        return isFrame || !image.isStill
            ? PixelDemand(everyPixelOf: image) : PixelDemand(of: image, in: place(of: imageView, size: size))
    }

    override func drawContent(on snapshot: OpaquePointer, size: CGSize) {
        guard let imageView else { return }
        let image = imageView.displayedImage
        let ready = images.image(of: image, demand: demand(of: image, size: size), reusing: shown)
        // The previous image stays until the new one is ready; otherwise the view would flicker.
        if ready != nil || !images.isPreparing(image) { shown = ready }
        draw(shown, on: snapshot, size: size)
    }

    override func drawAll(on snapshot: OpaquePointer, size: CGSize, projection: Projection) {
        guard let imageView, let transition = imageView.runningTransition else {
            previous = nil
            super.drawAll(on: snapshot, size: size, projection: projection)
            return
        }
        snapshot.draw(
            transition.effect, at: imageView.transitionProgress, size: size, projection: projection,
            from: { drawOrigin(of: transition, on: snapshot, size: size) },
            to: { super.drawAll(on: snapshot, size: size, projection: projection) })
    }

    private func drawOrigin(of transition: RunningTransition, on snapshot: OpaquePointer, size: CGSize) {
        switch transition.origin {
        case .image(let image):
            // In the first frame, the image that the view has shown so far.
            let old = previous?.image === image ? previous : shown
            previous = images.image(of: image, demand: demand(of: image, size: size), reusing: old)
            draw(previous, on: snapshot, size: size)
        case .snapshot(let old):
            (old as? NodeSnapshot)?.draw(on: snapshot, size: size)
        }
    }

    private func draw(_ image: DrawableImage?, on snapshot: OpaquePointer, size: CGSize) {
        guard let image, let imageView else { return }
        var frame = imageView.contentMode.frame(of: image.image.size, in: size)
        guard !frame.isEmpty else { return }
        // Between device pixels, an image of the right size would be blurred, and take longer to draw.
        frame.origin = frame.origin.rounded(toPixelsOf: display.scaleFactor)
        let overflows = !CGRect(origin: .zero, size: size).contains(frame)
        if overflows { snapshot.clip(to: size) }
        image.draw(in: frame, on: snapshot, style: ImageStyle(of: widget))
        if overflows { gtk_snapshot_pop(snapshot) }
    }
}

extension CGPoint {
    /// The nearest point on a whole pixel of a display with `scale` pixels per point.
    fileprivate func rounded(toPixelsOf scale: CGFloat) -> CGPoint {
        CGPoint(x: (x * scale).rounded() / scale, y: (y * scale).rounded() / scale)
    }
}

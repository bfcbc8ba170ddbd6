import CGtk
import Foundation
import Kingfisher

/// Shows an image view: its picture, or a moment of the transition from one picture to another.
@MainActor final class ImageViewAdapter: ContainerAdapter {
    private var shown: Picture?
    private var previous: Picture?
    private let pictures: ReadyPictures

    private var imageView: ImageView? { view as? ImageView }

    init(_ view: ImageView) {
        pictures = ReadyPictures { [weak view] in view?.setNeedsDisplay() }
        super.init(view)
    }

    nonisolated override func prepare(_ image: Image) { pictures.prepare(image) }

    override var contentSize: CGSize { imageView?.image?.size ?? .zero }

    override func viewDidChange(_ change: ViewChange) {
        // Off screen nothing will be drawn that lets go of a picture no longer shown.
        if gtk_widget_get_mapped(widget) == 0 {
            (shown, previous) = (nil, nil)
            pictures.forget()
        }
        super.viewDidChange(change)
    }

    override func drawContent(on snapshot: OpaquePointer, size: CGSize) {
        guard let imageView else { return }
        shown = pictures.picture(of: imageView.displayedImage, reusing: shown)
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
            previous = pictures.picture(of: image, reusing: previous)
            draw(previous, on: snapshot, size: size)
        case .snapshot(let old):
            (old as? NodeSnapshot)?.draw(on: snapshot, size: size)
        }
    }

    private func draw(_ picture: Picture?, on snapshot: OpaquePointer, size: CGSize) {
        guard let picture, let imageView else { return }
        let frame = imageView.contentMode.frame(of: picture.image.size, in: size)
        guard !frame.isEmpty else { return }
        let overflows = !CGRect(origin: .zero, size: size).contains(frame)
        if overflows { snapshot.clip(to: size) }
        picture.draw(in: frame, on: snapshot, style: PictureStyle(of: widget))
        if overflows { gtk_snapshot_pop(snapshot) }
    }
}

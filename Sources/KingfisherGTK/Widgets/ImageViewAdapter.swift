import CGtk
import Foundation
import Kingfisher

/// Shows an image view: its picture, or a moment of the transition from one picture to another.
@MainActor final class ImageViewAdapter: ContainerAdapter {
    private var shown: Picture?
    private var previous: Picture?
    private var tickCallback: guint = 0

    private var imageView: ImageView? { view as? ImageView }

    init(_ view: ImageView) {
        super.init(view)
    }

    override var contentSize: CGSize { imageView?.image?.size ?? .zero }

    override func viewDidChange(_ change: ViewChange) {
        if case .animation = change { requestFrames() }
        // Off screen nothing will be drawn that lets go of a picture no longer shown.
        if gtk_widget_get_mapped(widget) == 0 { (shown, previous) = (nil, nil) }
        super.viewDidChange(change)
    }

    override func didUnmap() {
        // No more frames will come, and somebody may wait for the end.
        imageView?.finishTransition()
    }

    override func drawContent(on snapshot: OpaquePointer, size: CGSize) {
        guard let imageView else { return }
        let transition = imageView.runningTransition
        // The old picture first: while `shown` still holds its texture, it is found in the cache.
        previous = picture(transition?.from, in: previous)
        shown = picture(imageView.image, in: shown)
        guard let transition else {
            draw(shown, on: snapshot, size: size)
            return
        }
        switch transition.kind {
        case .none:
            draw(shown, on: snapshot, size: size)
        case .fade:
            gtk_snapshot_push_cross_fade(snapshot, imageView.transitionProgress)
            draw(previous, on: snapshot, size: size)
            gtk_snapshot_pop(snapshot)
            draw(shown, on: snapshot, size: size)
            gtk_snapshot_pop(snapshot)
        }
    }

    private func picture(_ image: Image?, in old: Picture?) -> Picture? {
        if let old, old.image === image { old } else { Picture(image) }
    }

    private func draw(_ picture: Picture?, on snapshot: OpaquePointer, size: CGSize) {
        guard let picture, let imageView else { return }
        let frame = imageView.contentMode.frame(of: picture.image.size, in: size)
        guard !frame.isEmpty else { return }
        let overflows = !CGRect(origin: .zero, size: size).contains(frame)
        if overflows { snapshot.clip(to: size) }
        picture.draw(in: frame, on: snapshot)
        if overflows { gtk_snapshot_pop(snapshot) }
    }

    /// Asks GTK to call before each frame, until the transition is over.
    private func requestFrames() {
        guard tickCallback == 0 else { return }
        tickCallback = gtk_widget_add_tick_callback(
            widget,
            { _, _, data in
                Unmanaged<FrameReceiver>.fromOpaque(data!).takeUnretainedValue().receive() ? 1 : 0
            }, Unmanaged.passRetained(FrameReceiver(self)).toOpaque(),
            { Unmanaged<FrameReceiver>.fromOpaque($0!).release() })
    }

    fileprivate func beforeFrame() -> Bool {
        imageView?.advanceTransition()
        gtk_widget_queue_draw(widget)
        if imageView?.runningTransition != nil { return true }
        tickCallback = 0
        return false
    }
}

/// What GTK holds for its calls before each frame: knows the adapter without keeping it.
@MainActor private final class FrameReceiver {
    private weak var adapter: ImageViewAdapter?

    init(_ adapter: ImageViewAdapter) {
        self.adapter = adapter
    }

    func receive() -> Bool { adapter?.beforeFrame() ?? false }
}

import Foundation
import KingfisherImage

/// To which size an image is decoded that goes by its view's (`.decodesToViewSize`).
enum DecodedSize: Sendable {
    /// To what the view shows.
    case box(ViewPixelBox)
    /// To its own, as nothing draws the view yet.
    case fullForNow
}

/// The image in a view whose decoding goes by the view's size, and what it takes to decode it anew.
@MainActor final class FittedImage {
    private let source: Source
    private let options: KingfisherParsedOptionsInfo
    private(set) weak var image: KFCrossPlatformImage?
    private(set) var size: DecodedSize
    /// What the image is being decoded into now.
    private var next: ViewPixelBox?

    init(_ result: RetrieveImageResult, options: KingfisherParsedOptionsInfo, size: DecodedSize) {
        source = result.source
        self.options = options
        image = result.image
        self.size = size
    }

    /// Whether the image has the view's size: an animation has only where its frames are processed.
    fileprivate func follows(_ image: KFCrossPlatformImage) -> Bool {
        image.isStill || options.processor is FramewiseImageProcessor
    }

    /// Decodes the image into `box`, and hands it to `view` if that still shows the old one by then.
    fileprivate func renew(into box: ViewPixelBox, for view: ImageView) {
        // A view that goes on to change its size does not begin anew each time.
        guard next?.scale != box.scale else { return }
        next = box
        var options = options.decoding(to: .box(box))
        options.change { groups in
            groups.delivery.callbackQueue = .untouch
            // No user asked for this load: without the original in a cache the old image stays.
            groups.cache.onlyFromCache = true
            groups.cache.httpCaching = false
            groups.cache.forceRefresh = false
            groups.cache.fromMemoryCacheOrRefresh = false
            groups.fetch.loadsNothingElse()
        }
        let renderer = view.renderer
        _ = (options.manager ?? .shared).retrieveImage(
            with: source, options: options, progressBlock: nil,
            isCurrent: { [weak self] in self != nil },
            completionHandler: { [weak self, weak view] result in
                let image = try? result.get().image
                if !MainQueue.isCurrent, let image { renderer?.prepare(image) }
                CallbackQueue.mainCurrentOrAsync.execute {
                    MainActor.assumeIsolated { self?.end(box, with: image, in: view) }
                }
            })
    }

    /// Lets go of a size that is wanted no more.
    fileprivate func stay() {
        next = nil
    }

    /// Puts what was decoded into `box` in the place of the old image; nil if that failed. The next change
    /// of the view's place, or the end of a transition that has begun meanwhile, is another chance.
    private func end(_ box: ViewPixelBox, with new: KFCrossPlatformImage?, in view: ImageView?) {
        guard box == next else { return }
        next = nil
        guard let new, let view, view.loading.fitted === self, let image, view.image === image,
            view.runningTransition == nil
        else { return }
        size = .box(box)
        self.image = new
        view.image = new
    }
}

extension ImageView {
    /// The pixels that the view covers; nil where images are wanted at their own size.
    var pixelBox: ViewPixelBox? {
        renderer.flatMap { ViewPixelBox($0.display, contentMode: contentMode) }
    }

    /// To which size an image for the view is decoded; nil for good at its own.
    var decodedSize: DecodedSize? {
        renderer == nil ? .fullForNow : pixelBox.map { .box($0) }
    }

    /// Decodes the image anew if it was decoded for another scale factor, or in full before the view had a
    /// size. The old one stays until then, and so does a transition.
    func renewFittedImage() {
        guard let fitted = loading.fitted, let image = fitted.image, image === self.image,
            fitted.follows(image), let box = pixelBox, loading.current.identifier == nil,
            runningTransition == nil
        else { return }
        switch fitted.size {
        case .box(let old) where old.scale == box.scale:
            fitted.stay()
        case .fullForNow where image.pixels.flatMap({ box.target(for: $0.size) }) == nil:
            // No larger than it is shown: it has all that there is to be seen at any scale.
            keep(nil, as: \.fitted)
        case .box, .fullForNow:
            fitted.renew(into: box, for: self)
        }
    }
}

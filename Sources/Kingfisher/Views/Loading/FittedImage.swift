import Foundation
import KingfisherImage

/// The size to which an image is decoded under `.decodesToViewSize`.
enum DecodedSize: Sendable {
    case box(ViewPixelBox)
    /// Full size, until the view has a size on screen.
    case fullForNow
}

/// The image of a view that is decoded to the view's size, with what is needed to decode it again.
@MainActor final class FittedImage {
    private let source: Source
    private let options: KingfisherParsedOptionsInfo
    private(set) weak var image: KFCrossPlatformImage?
    private(set) var size: DecodedSize
    private var next: ViewPixelBox?

    init(_ result: RetrieveImageResult, options: KingfisherParsedOptionsInfo, size: DecodedSize) {
        source = result.source
        self.options = options
        image = result.image
        self.size = size
    }

    /// Whether the image is decoded to the view's size. For an animation this requires that its frames are
    /// processed.
    fileprivate func follows(_ image: KFCrossPlatformImage) -> Bool {
        image.isStill || options.processor is FramewiseImageProcessor
    }

    fileprivate func renew(into box: ViewPixelBox, for view: ImageView) {
        // Further size changes at the same scale do not restart decoding.
        guard next?.scale != box.scale else { return }
        next = box
        var options = options.decoding(to: .box(box))
        options.change { groups in
            groups.delivery.callbackQueue = .untouch
            // The application did not request this load: without the original in a cache, the old image
            // stays.
            groups.cache.onlyFromCache = true
            groups.cache.httpCaching = false
            groups.cache.forceRefresh = false
            groups.cache.fromMemoryCacheOrRefresh = false
            groups.fetch.disableFailover()
        }
        let renderer = view.renderer
        _ = (options.manager ?? .shared).retrieveImage(
            with: source, options: options, progressBlock: nil,
            isCurrent: { [weak self] in self != nil },
            completionHandler: { [weak self, weak view] result in
                let image = try? result.get().image
                if !MainQueue.isCurrent, let image { renderer?.prepare(image) }
                CallbackQueue.mainCurrentOrAsync.execute {
                    MainActor.assumeIsolated {
                        guard self?.end(box, with: image, in: view) == true else { return }
                        try? result.get().noteDisplay(with: options)
                    }
                }
            })
    }

    fileprivate func cancelRenewal() {
        next = nil
    }

    /// Replaces the old image with the one decoded into `box`; nil if decoding failed. Returns whether it is
    /// shown: after a failure, or during a transition, the next layout change or the end of the transition
    /// tries again.
    private func end(_ box: ViewPixelBox, with new: KFCrossPlatformImage?, in view: ImageView?) -> Bool {
        guard box == next else { return false }
        next = nil
        guard let new, let view, view.loading.fitted === self, let image, view.image === image,
            view.runningTransition == nil
        else { return false }
        size = .box(box)
        self.image = new
        view.image = new
        return true
    }
}

extension ImageView {
    /// The pixels that the view covers; nil if images are shown at their own size.
    var pixelBox: ViewPixelBox? {
        renderer.flatMap { ViewPixelBox($0.display, contentMode: contentMode) }
    }

    var decodedSize: DecodedSize? {
        renderer == nil ? .fullForNow : pixelBox.map { .box($0) }
    }

    /// Decodes the image again if it was decoded for another scale factor, or in full before the view had a
    /// size. The old one stays until then. Does nothing during a transition.
    func renewFittedImage() {
        guard let fitted = loading.fitted, let image = fitted.image, image === self.image,
            fitted.follows(image), let box = pixelBox, loading.current.identifier == nil,
            runningTransition == nil
        else { return }
        switch fitted.size {
        case .box(let old) where old.scale == box.scale:
            fitted.cancelRenewal()
        case .fullForNow where image.pixels.flatMap({ box.target(for: $0.size) }) == nil:
            // The image is no larger than its box, so decoding it again adds no detail.
            store(nil, as: \.fitted)
        case .box, .fullForNow:
            fitted.renew(into: box, for: self)
        }
    }
}

import Foundation
import KingfisherImage

/// The size to which an image is decoded under `.decodesToViewSize`.
enum DecodedSize: Sendable {
    case box(ViewPixelBox)
    /// Full size, until the view has a size on screen.
    case fullForNow
}

/// The image of a view that is decoded to the view's size, with what is needed to decode it again: under
/// `.decodesToViewSize`, and always for a file that can be decoded at any size, once the view is larger.
@MainActor final class FittedImage {
    private let source: Source
    fileprivate let options: KingfisherParsedOptionsInfo
    private(set) weak var image: KFCrossPlatformImage?
    private(set) var size: DecodedSize
    private var next: ViewPixelBox?
    private let isScalable: Bool
    /// The size in points that a scalable image keeps when it is decoded again, for the layout.
    private let pointSize: CGSize

    /// Nil for an image that is not decoded again.
    ///
    /// - Parameter size: The size to which it is decoded under `.decodesToViewSize`; otherwise nil.
    init?(_ result: RetrieveImageResult, options: KingfisherParsedOptionsInfo, size: DecodedSize?) {
        isScalable = result.image.kf.isScalable
        guard size != nil || isScalable else { return nil }
        source = result.source
        self.options = options
        image = result.image
        self.size = size ?? .fullForNow
        pointSize = result.image.size
    }

    /// Whether the image is decoded to the view's size. For an animation this requires that its frames are
    /// processed.
    fileprivate func follows(_ image: KFCrossPlatformImage) -> Bool {
        image.isStill || options.processor is FramewiseImageProcessor
    }

    /// Whether the image has fewer pixels than `box`, or than it was decoded for.
    fileprivate func isOutgrown(by box: ViewPixelBox) -> Bool {
        guard isScalable, let pixels = image?.pixels?.size else { return false }
        return switch size {
        case .box(let old): box.size.width > old.size.width || box.size.height > old.size.height
        case .fullForNow: box.target(for: pixels) == nil
        }
    }

    fileprivate func renew(into box: ViewPixelBox, for view: ImageView) {
        // Further size changes at the same scale do not restart decoding.
        guard next?.scale != box.scale else { return }
        next = box
        var options = options.decoding(to: .box(box))
        options.change { values in
            values.callbackQueue = .untouch
            // The application did not request this load: without the original in a cache, the old image
            // stays.
            values.onlyFromCache = true
            values.httpCaching = false
            values.forceRefresh = false
            values.fromMemoryCacheOrRefresh = false
            values.disableFailover()
            // A view that grows would fill the disk with sizes.
            if isScalable { values.cacheMemoryOnly = true }
        }
        let renderer = view.renderer
        let plan = RequestPlan(source, options, isCurrent: { [weak self] in self != nil })
        (options.manager ?? .shared).retrieveImage(plan) { [weak self, weak view] result in
            let image = try? result.get().image
            if !MainQueue.isCurrent, let image { renderer?.prepare(image) }
            CallbackQueue.mainCurrentOrAsync.execute {
                MainActor.assumeIsolated {
                    guard self?.end(box, with: image, in: view) == true else { return }
                    try? result.get().noteDisplay(with: options)
                }
            }
        }
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
        let shown = isScalable ? new.covering(pointSize) : new
        self.image = shown
        view.image = shown
        return true
    }
}

extension Image {
    /// The same pixels with the scale at which they are as wide as `size`.
    fileprivate func covering(_ size: CGSize) -> Image {
        guard let width = pixels?.width, size.width > 0 else { return self }
        return kf.scaled(to: CGFloat(width) / size.width)
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

    /// Decodes the image again if it was decoded for another scale factor, in full before the view had a
    /// size, or, if it can be decoded at any size, for a smaller view. The old one stays until then. Does
    /// nothing during a transition.
    func renewFittedImage() {
        guard let fitted = loading.fitted, let image = fitted.image, image === self.image,
            fitted.follows(image), let box = pixelBox, loading.current.identifier == nil,
            runningTransition == nil
        else { return }
        if fitted.isOutgrown(by: box) { return fitted.renew(into: box, for: self) }
        guard fitted.options.decodesToViewSize else { return fitted.cancelRenewal() }
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

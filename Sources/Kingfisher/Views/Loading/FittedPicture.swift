import Foundation
import KingfisherImage

/// The picture in a view that was decoded to the view's size, and what it takes to decode it anew.
@MainActor final class FittedPicture {
    let source: Source
    let options: KingfisherParsedOptionsInfo
    private(set) weak var image: KFCrossPlatformImage?
    /// What the picture was decoded into, or is being decoded into.
    private(set) var box: ViewPixelBox

    init(_ result: RetrieveImageResult, options: KingfisherParsedOptionsInfo, box: ViewPixelBox) {
        source = result.source
        self.options = options
        image = result.image
        self.box = box
    }

    /// Decodes the picture into `box`, and hands it to `view` if that still shows the old one by then.
    fileprivate func renew(into box: ViewPixelBox, for view: ImageView) {
        self.box = box
        var options = options.decoding(into: box)
        options.callbackQueue = .untouch
        // The original is at hand; these would ask the network again.
        options.forceRefresh = false
        options.fromMemoryCacheOrRefresh = false
        options.alternativeSources = nil
        options.lowDataModeSource = nil
        let renderer = view.renderer
        _ = KingfisherManager.shared.retrieveImage(
            with: source, options: options, progressBlock: nil,
            isCurrent: { [weak self] in self != nil },
            completionHandler: { [weak self, weak view] result in
                guard case .success(let value) = result else { return }
                if !MainQueue.isCurrent { renderer?.prepare(value.image) }
                CallbackQueue.mainCurrentOrAsync.execute {
                    MainActor.assumeIsolated { self?.replace(with: value.image, in: view, box: box) }
                }
            })
    }

    private func replace(with new: KFCrossPlatformImage, in view: ImageView?, box: ViewPixelBox) {
        guard let view, view.loading.fitted === self, box == self.box, let image, view.image === image else {
            return
        }
        self.image = new
        view.image = new
    }
}

extension ImageView {
    /// The pixels that the view covers; nil where pictures are wanted at their own size.
    var pixelBox: ViewPixelBox? {
        renderer.flatMap { ViewPixelBox($0.display, contentMode: contentMode) }
    }

    /// Decodes the picture anew if it was decoded for another scale factor. The old one stays until then.
    func followScaleFactor() {
        guard let fitted = loading.fitted, let image = fitted.image, image === self.image, image.isStill,
            let box = pixelBox, box.scale != fitted.box.scale, loading.current.identifier == nil
        else { return }
        fitted.renew(into: box, for: self)
    }
}

import KingfisherImage

/// The image that a load has shown and that may be renewed while it is (`stale-while-revalidate`).
@MainActor final class ImageRenewal {
    weak var old: Image?

    nonisolated init() {}
}

extension LoadTarget {
    /// Shows an image that has come in place of the one that `load` ended with, if the place still shows
    /// that and waits for no other. From any thread; runs later than the end of the load.
    nonisolated func show(
        _ renewed: RetrieveImageResult, inPlaceOf renewal: ImageRenewal, for load: ViewLoad,
        decodedTo size: DecodedSize?
    ) {
        CallbackQueue.mainAsync.execute {
            MainActor.assumeIsolated {
                guard let old = renewal.old, current.identifier == nil, shownImage === old else { return }
                let fitted = size.map { FittedImage(renewed, options: load.options, size: $0) }
                fittedView?.keep(fitted, as: \.fitted)
                show(renewed, options: load.options) {}
                fittedView?.followDisplayLater()
            }
        }
    }
}

import KingfisherImage

/// The picture that a load has shown and that may be renewed while it is (`stale-while-revalidate`).
@MainActor final class PictureRenewal {
    weak var old: Image?

    nonisolated init() {}
}

extension LoadTarget {
    /// Shows a picture that has come in place of the one that `load` ended with, if the place still shows
    /// that and waits for no other. From any thread; runs later than the end of the load.
    nonisolated func show(
        _ renewed: RetrieveImageResult, inPlaceOf renewal: PictureRenewal, for load: ViewLoad,
        decodedTo size: DecodedSize?
    ) {
        CallbackQueue.mainAsync.execute {
            MainActor.assumeIsolated {
                guard let old = renewal.old, current.identifier == nil, shownImage === old else { return }
                let fitted = size.map { FittedPicture(renewed, options: load.options, size: $0) }
                fittedView?.keep(fitted, as: \.fitted)
                show(renewed, options: load.options) {}
                fittedView?.followDisplayLater()
            }
        }
    }
}

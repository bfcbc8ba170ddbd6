import KingfisherImage

/// The stale image that a load has shown and that may be replaced after revalidation
/// (`stale-while-revalidate`).
@MainActor final class ImageRenewal {
    weak var old: Image?

    nonisolated init() {}
}

extension LoadTarget {
    /// Shows a revalidated image in place of the stale one, if the target still shows that and has no current
    /// load.
    func show(
        _ renewed: RetrieveImageResult, inPlaceOf renewal: ImageRenewal, for load: ViewLoad,
        decodedTo size: DecodedSize?
    ) {
        guard let old = renewal.old, current.identifier == nil, shownImage === old else { return }
        display(renewed, options: load.options, with: load.options, decodedTo: size)
    }
}

import KingfisherImage

/// A place that holds one picture and nothing else: its placeholder is a picture, too, and changes are
/// sudden.
@MainActor struct PictureTarget: LoadTarget {
    let current: CurrentLoad
    let placeholder: Image?
    var renderer: (any ViewRenderer)?
    let image: @MainActor () -> Image?
    let setImage: @MainActor (_ image: Image?, _ options: KingfisherParsedOptionsInfo) -> Void
    /// Called when the load has changed the picture.
    var didChange: @MainActor () -> Void = {}

    var shownImage: Image? { image() }

    func showPlaceholder(options: KingfisherParsedOptionsInfo) { setImage(placeholder, options) }

    func show(
        _ result: RetrieveImageResult, options: KingfisherParsedOptionsInfo,
        completion: @escaping @MainActor () -> Void
    ) {
        setImage(result.image, options)
        didChange()
        completion()
    }

    func showStandIn(_ image: Image?, options: KingfisherParsedOptionsInfo) {
        setImage(image, options)
        didChange()
    }
}

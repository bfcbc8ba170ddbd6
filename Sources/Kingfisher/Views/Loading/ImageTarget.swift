import KingfisherImage

/// A target that holds only an image: its placeholder is an image, and there are no transitions.
@MainActor struct ImageTarget: LoadTarget {
    let current: CurrentLoad
    let placeholder: Image?
    var renderer: (any ViewRenderer)?
    let image: @MainActor () -> Image?
    let setImage: @MainActor (_ image: Image?, _ options: KingfisherParsedOptionsInfo) -> Void
    /// Called when the load has changed the image.
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

    func showSubstitute(_ image: Image?, options: KingfisherParsedOptionsInfo) {
        setImage(image, options)
        didChange()
    }
}

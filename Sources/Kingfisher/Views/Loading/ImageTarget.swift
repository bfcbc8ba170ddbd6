import KingfisherImage

@MainActor struct ImageTarget: LoadTarget {
    let current: CurrentLoad
    let placeholder: Image?
    var renderer: (any ViewRenderer)?
    let image: @MainActor () -> Image?
    let setImage: @MainActor (_ image: Image?, _ options: KingfisherParsedOptionsInfo) -> Void
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

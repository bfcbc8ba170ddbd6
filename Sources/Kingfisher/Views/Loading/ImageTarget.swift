import KingfisherImage

@MainActor struct ImageTarget: LoadTarget {
    let current: CurrentLoad
    let placeholder: Image?
    var renderer: (any ViewRenderer)?
    let image: @MainActor () -> Image?
    let setImage: @MainActor (_ image: Image?, _ options: KingfisherParsedOptionsInfo) -> Void
    var didChange: @MainActor () -> Void = {}
    /// The view that is busy during a load; nil for an object that is not a view.
    var busyView: View?

    var shownImage: Image? { image() }

    func busyDidChange() { busyView?.accessibilityDidChange() }

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

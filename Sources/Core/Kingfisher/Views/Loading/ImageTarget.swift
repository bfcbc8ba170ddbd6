import KingfisherImage

@MainActor struct ImageTarget<Owner: AnyObject>: LoadTarget {
    let owner: Owner
    let current: CurrentLoad
    var placeholder: Image?
    let image: @MainActor (Owner) -> Image?
    let setImage: @MainActor (Owner, _ image: Image?, _ options: KingfisherParsedOptionsInfo) -> Void
    var didChange: @MainActor () -> Void = {}

    var reference: @MainActor () -> Self? {
        // Not strong: `current` owns the watch of its file, which has this closure.
        { [weak owner, weak current, image, setImage, didChange] in
            guard let owner, let current else { return nil }
            return Self(
                owner: owner, current: current, image: image, setImage: setImage, didChange: didChange)
        }
    }

    private var view: View? { owner as? View }

    var renderer: (any ViewRenderer)? { view?.renderer }
    var shownImage: Image? { image(owner) }

    func busyDidChange() { view?.accessibilityDidChange() }

    func showPlaceholder(options: KingfisherParsedOptionsInfo) { setImage(owner, placeholder, options) }

    func show(
        _ result: RetrieveImageResult, options: KingfisherParsedOptionsInfo,
        completion: @escaping @MainActor () -> Void
    ) {
        setImage(owner, result.image, options)
        didChange()
        completion()
    }

    func showSubstitute(_ image: Image?, options: KingfisherParsedOptionsInfo) {
        setImage(owner, image, options)
        didChange()
    }
}

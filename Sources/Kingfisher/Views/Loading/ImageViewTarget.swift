import KingfisherImage

/// An image view as the place of an image, with a placeholder of any kind.
@MainActor struct ImageViewTarget: LoadTarget {
    let view: ImageView
    let placeholder: (any Placeholder)?

    var current: CurrentLoad { view.loading.current }
    var shownImage: Image? { view.image }
    var renderer: (any ViewRenderer)? { view.renderer }
    var fittedView: ImageView? { view }

    func adjust(_ options: inout KingfisherParsedOptionsInfo) {
        // One that decodes frames when they are due needs none before.
        if !(view is AnimatedImageView) { options.preloadAllAnimationData = true }
    }

    func showPlaceholder(options: KingfisherParsedOptionsInfo) {
        view.transition(.none) { view.show(placeholder) }
    }

    func startIndicator() { view.startIndicator() }

    func stopIndicator() { view.stopIndicator() }

    func show(
        _ result: RetrieveImageResult, options: KingfisherParsedOptionsInfo,
        completion: @escaping @MainActor () -> Void
    ) {
        // An image that was at hand appears at once; only one that had to be waited for is announced.
        let wasAwaited = options.forceTransition || result.cacheType == .none
        let kind = wasAwaited ? options.transition : .none
        view.transition(kind) {
            view.show(nil)
            view.image = result.image
            if case .custom(_, _, let animations, _) = kind { animations?(view, result.image) }
        } completion: { finished in
            if case .custom(_, _, _, let end) = kind { end?(finished) }
            completion()
        }
    }

    func showSubstitute(_ image: Image?, options: KingfisherParsedOptionsInfo) {
        view.transition(.none) {
            view.show(nil)
            view.image = image
        }
    }
}

extension ImageView {
    /// Puts `placeholder` in the place of the image; nil leaves the view empty.
    ///
    /// Only as a change of a transition, so that whoever waits for the end of an earlier one is called when
    /// all of this is done.
    fileprivate func show(_ placeholder: (any Placeholder)?) {
        // A view that is there already need not leave for a moment, and start anew.
        if let view = placeholder as? View, view === loading.placeholder as? View, view.superview === self {
            image = nil
            return
        }
        loading.placeholder?.remove(from: self)
        keep(placeholder, as: \.placeholder)
        // An image placeholder takes the image's place in one step; any other lies over an empty view.
        if !(placeholder is Image) { image = nil }
        placeholder?.add(to: self)
    }
}

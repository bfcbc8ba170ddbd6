import KingfisherImage

@MainActor struct ImageViewTarget: LoadTarget {
    let view: ImageView
    let placeholder: (any Placeholder)?

    var reference: @MainActor () -> Self? {
        { [weak view] in view.map { Self(view: $0, placeholder: nil) } }
    }

    var current: CurrentLoad { view.loading.current }
    var shownImage: Image? { view.image }
    var renderer: (any ViewRenderer)? { view.renderer }
    var fittedView: ImageView? { view }

    func adjust(_ options: inout KingfisherParsedOptionsInfo) {
        // An animated view decodes frames on demand.
        if !(view is AnimatedImageView) { options.preloadAllAnimationData = true }
    }

    func showPlaceholder(options: KingfisherParsedOptionsInfo) {
        view.transition(.none) { view.show(placeholder) }
    }

    func startIndicator() { view.startIndicator() }

    func stopIndicator() { view.stopIndicator() }

    func busyDidChange() { view.accessibilityDidChange() }

    func show(
        _ result: RetrieveImageResult, options: KingfisherParsedOptionsInfo,
        completion: @escaping @MainActor () -> Void
    ) {
        // A cached image appears without a transition.
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
    func empty() {
        loading.binding?.viewWillBeEmptied()
        loading.current.cancel()
        // A load whose source does not stop at once must not show its failure later.
        loading.current.forget()
        forgetLoad()
        stopIndicator()
        transition(.none) { show(nil) }
    }

    /// Shows `placeholder` in place of the image; nil leaves the view empty.
    ///
    /// Call it only inside a transition, so that the completion of an earlier transition runs after these
    /// changes.
    fileprivate func show(_ placeholder: (any Placeholder)?) {
        // A placeholder view that is already shown must not be removed and restarted.
        if let view = placeholder as? View, view === loading.placeholder as? View, view.superview === self {
            image = nil
            return
        }
        loading.placeholder?.remove(from: self)
        store(placeholder, as: \.placeholder)
        // An image placeholder replaces the image in one step; any other is added over an empty view.
        if !(placeholder is Image) { image = nil }
        placeholder?.add(to: self)
        accessibilityDidChange()
    }
}

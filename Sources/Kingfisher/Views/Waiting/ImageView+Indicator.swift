extension ImageView {
    /// Takes the old indicator away and makes the one of `type`, hidden.
    func install(_ type: IndicatorType) {
        stopIndicator()
        loading.indicator?.view.removeFromSuperview()
        keep(type, as: \.indicatorType)
        keep(type.makeIndicator(), as: \.indicator)
        guard let indicator = loading.indicator else { return }
        indicator.view.isHidden = true
        placeIndicator()
        addSubview(indicator.view)
        if loading.current.identifier != nil { startIndicator() }
    }

    /// Shows the indicator. An indicator of the user's need not know how to show and hide itself.
    func startIndicator() {
        guard let indicator = loading.indicator else { return }
        placeIndicator()
        indicator.view.isHidden = false
        indicator.startAnimatingView()
    }

    func stopIndicator() {
        guard let indicator = loading.indicator else { return }
        indicator.stopAnimatingView()
        indicator.view.isHidden = true
    }

    /// Asks the indicator how large it is in the view as it is now.
    func placeIndicator() {
        guard let indicator = loading.indicator else { return }
        indicator.view.placement =
            switch indicator.sizeStrategy(in: self) {
            case .intrinsicSize: .center(offset: indicator.centerOffset)
            case .size(let size): .center(size: size, offset: indicator.centerOffset)
            case .full: .fill
            }
    }
}

extension IndicatorType {
    @MainActor fileprivate func makeIndicator() -> (any Indicator)? {
        switch self {
        case .none: nil
        case .activity: ActivityIndicator()
        case .image(let data): ImageIndicator(imageData: data)
        case .custom(let indicator): indicator
        }
    }
}

extension ImageView {
    func install(_ type: IndicatorType) {
        stopIndicator()
        loading.indicator?.view.removeFromSuperview()
        store(type, as: \.indicatorType)
        store(type.makeIndicator(), as: \.indicator)
        guard let indicator = loading.indicator else { return }
        indicator.view.isHidden = true
        placeIndicator()
        addSubview(indicator.view)
        if loading.current.identifier != nil { startIndicator() }
    }

    /// Shows the indicator. Sets `isHidden`, because a custom indicator may not do so.
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

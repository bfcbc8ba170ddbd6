extension ImageView {
    /// Takes the old indicator away and makes the one of `type`, hidden.
    func install(_ type: IndicatorType) {
        loading.indicator?.view.removeFromSuperview()
        loading.indicatorType = type
        switch type {
        case .none:
            loading.indicator = nil
        case .activity:
            let indicator = ActivityIndicator()
            loading.indicator = indicator
            indicator.view.isHidden = true
            indicator.view.placement = placement(of: indicator)
            addSubview(indicator.view)
            if loading.current.identifier != nil { indicator.startAnimatingView() }
        }
    }

    private func placement(of indicator: any Indicator) -> ViewPlacement {
        switch indicator.sizeStrategy(in: self) {
        case .intrinsicSize: .center(offset: indicator.centerOffset)
        case .size(let size): .center(size: size, offset: indicator.centerOffset)
        case .full: .fill
        }
    }
}

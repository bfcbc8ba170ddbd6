/// What `kf` keeps for an image view.
struct ImageViewLoading {
    /// The load that the view waits for.
    let current = CurrentLoad()
    /// That load, while it waits for the view's first layout.
    var wait: LayoutWait?
    /// The image whose decoding goes by the view's size.
    var fitted: FittedImage?
    var placeholder: (any Placeholder)?
    var indicatorType: IndicatorType = .none
    var indicator: (any Indicator)?
}

extension ImageView {
    /// Has `loading` keep `value`, and lets go of what was there only then: its end may run the user's code,
    /// which may ask the view for something.
    func keep<Value>(_ value: Value, as part: WritableKeyPath<ImageViewLoading, Value>) {
        let old = loading[keyPath: part]
        loading[keyPath: part] = value
        withExtendedLifetime(old) {}
    }

    /// Has all that depends on the place on screen follow it, once the main thread is free: whoever calls
    /// this may be in the midst of a layout.
    func followDisplayLater() {
        guard loading.wait != nil || loading.fitted != nil || loading.indicator?.view.isHidden == false else {
            return
        }
        Task { [weak self] in
            guard let self else { return }
            if loading.indicator?.view.isHidden == false { placeIndicator() }
            startWaitingLoad()
            renewFittedImage()
        }
    }
}

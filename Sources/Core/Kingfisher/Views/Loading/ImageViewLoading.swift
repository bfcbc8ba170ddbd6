/// Starts loads of an image view when its display changes.
@MainActor protocol ImageViewBinding: AnyObject {
    /// Whether changes of the display matter now.
    var followsDisplay: Bool { get }
    func displayDidChange(of view: ImageView)
    /// The view cancels its load and removes its image, to be used for another value.
    func viewWillBeEmptied()
}

struct ImageViewLoading {
    let current = CurrentLoad()
    var wait: LoadWait?
    var running: RunningLoad?
    var cancelOnDisappear: Duration?
    var loadsOnAppear = false
    var timer: any DelayTimer = DispatchDelayTimer()
    /// Replaces the queue of all views, for tests.
    var offscreenLoads: OffscreenLoads?
    var fitted: FittedImage?
    var placeholder: (any Placeholder)?
    var indicatorType: IndicatorType = .none
    var indicator: (any Indicator)?
    var binding: (any ImageViewBinding)?
}

extension ImageView {
    /// Stores `value`. Releases the old value only afterwards: its deinitializer may run code of the
    /// application that reads the view.
    func store<Value>(_ value: Value, as part: WritableKeyPath<ImageViewLoading, Value>) {
        let old = loading[keyPath: part]
        loading[keyPath: part] = value
        withExtendedLifetime(old) {}
    }

    /// Updates what depends on the view's position on screen, once the main thread is free: the caller may be
    /// in the middle of a layout.
    func followDisplayLater() {
        guard
            loading.wait != nil || loading.running != nil || loading.fitted != nil
                || loading.indicator?.view.isHidden == false || loading.binding?.followsDisplay == true
                || loading.current.watch != nil
        else { return }
        Task { [weak self] in
            guard let self else { return }
            if loading.indicator?.view.isHidden == false { placeIndicator() }
            loading.binding?.displayDidChange(of: self)
            scrollPlaceDidChange()
            renewFittedImage()
            loading.current.watch?.check()
        }
    }
}

/// What `kf` keeps for an image view.
struct ImageViewLoading {
    /// The load that the view waits for.
    let current = CurrentLoad()
    /// That load, while it waits for the view's first layout.
    var wait: LayoutWait?
    /// The picture whose decoding goes by the view's size.
    var fitted: FittedPicture?
    var placeholder: (any Placeholder)?
    var indicatorType: IndicatorType = .none
    var indicator: (any Indicator)?
}

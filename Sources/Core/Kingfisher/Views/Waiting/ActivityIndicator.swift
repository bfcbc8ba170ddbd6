/// The toolkit's activity indicator, such as a spinner. Hidden while it is not animating.
@MainActor public final class ActivityIndicatorView: View {
    /// Whether the indicator is animating. It is shown without motion while `allowsMotion` is false.
    public private(set) var isAnimating = false

    /// Creates a hidden indicator; callable from any thread.
    nonisolated public override init() {
        super.init()
    }

    /// Shows and animates the indicator.
    public func startAnimating() {
        isHidden = false
        set(animating: true)
    }

    /// Stops and hides the indicator.
    public func stopAnimating() {
        isHidden = true
        set(animating: false)
    }

    /// A progress indicator, busy while it is animating.
    public override var accessibility: ViewAccessibility {
        ViewAccessibility(role: .progress, label: alternativeText, isBusy: isAnimating)
    }

    override func motionDidChange() {
        super.motionDidChange()
        renderer?.viewDidChange(.animation)
    }

    private func set(animating: Bool) {
        guard animating != isAnimating else { return }
        isAnimating = animating
        renderer?.viewDidChange(animating ? .animation : .content)
        accessibilityDidChange()
    }
}

@MainActor final class ActivityIndicator: Indicator {
    private let activityView = ActivityIndicatorView()

    var view: IndicatorView { activityView }

    func startAnimatingView() { activityView.startAnimating() }

    func stopAnimatingView() { activityView.stopAnimating() }

    func sizeStrategy(in imageView: KFCrossPlatformImageView) -> IndicatorSizeStrategy { .intrinsicSize }
}

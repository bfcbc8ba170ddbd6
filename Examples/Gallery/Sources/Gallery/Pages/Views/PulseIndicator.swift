import KingfisherGTK

@MainActor final class PulseIndicator: Indicator {
    private let bar = gtk_progress_bar_new()!
    private let barView: WidgetView
    private let watch = Watch()

    init() {
        barView = WidgetView(wrapping: bar.aligned(GTK_ALIGN_FILL, GTK_ALIGN_CENTER))
    }

    var view: IndicatorView { barView }

    func startAnimatingView() {
        watch.start(while: bar, every: .milliseconds(60)) { [bar] in gtk_progress_bar_pulse(bar.opaque) }
    }

    func stopAnimatingView() {
        watch.stop()
    }

    func sizeStrategy(in imageView: ImageView) -> IndicatorSizeStrategy {
        .size(CGSize(width: 96, height: 12))
    }
}

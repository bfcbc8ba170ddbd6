import KingfisherGTK

@MainActor final class NetworkMenu {
    let widget: Widget
    private let server: PhotoServer
    private let count = Widget.label("", "caption", "dim-label", "numeric")

    init(server: PhotoServer) {
        self.server = server
        widget = gtk_menu_button_new().explained("Network Conditions")
        gtk_menu_button_set_icon_name(widget.opaque, "network-wireless-symbolic")
        let content = Widget.column(
            spacing: 6,
            Widget.label("Network Conditions", "heading"),
            Widget.label("Apply to new requests", "caption", "dim-label"),
            makeScale("Delay", 0...3, step: 0.1, value: server.conditions.delay) {
                server.conditions.delay = $0
                return String(format: "%.1f s", $0)
            },
            makeScale("Failure Rate", 0...1, step: 0.05, value: server.conditions.failureRate) {
                server.conditions.failureRate = $0
                return String(format: "%.0f %%", $0 * 100)
            }, count)
        let popover = gtk_popover_new()!
        gtk_popover_set_child(popover.cast(), content.padded(12, 12).sized(width: 260).styled("network"))
        gtk_menu_button_set_popover(widget.opaque, popover)
        connect(popover, "show") { [weak self] in self?.showCount() }
    }

    /// - Parameter change: called with a new value; returns its text.
    private func makeScale(
        _ title: String, _ range: ClosedRange<Double>, step: Double, value: Double,
        change: @escaping @MainActor (Double) -> String
    ) -> Widget {
        let figure = Widget.label(change(value), "numeric", "dim-label")
        let scale = gtk_scale_new_with_range(
            GTK_ORIENTATION_HORIZONTAL, range.lowerBound, range.upperBound, step)!
        gtk_range_set_value(scale.cast(), value)
        connect(scale, "value-changed") { figure.setText(change(gtk_range_get_value(scale.cast()))) }
        let head = Widget.row(Widget.label(title).expanding(vertically: false), figure)
        gtk_widget_set_margin_top(head, 8)
        return Widget.column(head, scale)
    }

    private func showCount() {
        count.setText("\(server.requestCount) requests so far")
    }
}

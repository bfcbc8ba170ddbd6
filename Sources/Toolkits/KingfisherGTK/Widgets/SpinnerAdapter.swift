import CGtk
import Kingfisher

@MainActor final class SpinnerAdapter: WidgetAdapter {
    /// Width and height in points. The theme's 16 points suit a line of text but are hard to see on an image.
    private static let side: Int32 = 32

    init(_ view: ActivityIndicatorView) {
        super.init(.make(gtk_spinner_get_type(), view.accessibility.role), of: view)
        gtk_widget_set_size_request(widget, Self.side, Self.side)
        updateMotion()
    }

    override func viewDidChange(_ change: ViewChange) {
        updateMotion()
        super.viewDidChange(change)
        // GTK describes a spinner as busy only while it spins.
        super.viewDidChange(.accessibility)
    }

    /// A spinning spinner costs a redraw in each frame, even if it is not visible.
    private func updateMotion() {
        guard let view = view as? ActivityIndicatorView else { return }
        StyleClass.set(StyleClass.still, of: widget, view.isAnimating && !view.allowsMotion)
        gtk_spinner_set_spinning(OpaquePointer(widget), view.isAnimating && view.allowsMotion ? 1 : 0)
    }
}

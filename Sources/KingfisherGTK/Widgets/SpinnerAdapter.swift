import CGtk
import Kingfisher

/// Shows an activity indicator as a GtkSpinner.
@MainActor final class SpinnerAdapter: WidgetAdapter {
    /// Width and height in points. The theme's own 16 are meant for a line of text and get lost on an image.
    private static let side: Int32 = 32

    init(_ view: ActivityIndicatorView) {
        super.init(gtk_spinner_new(), of: view)
        gtk_widget_set_size_request(widget, Self.side, Self.side)
        updateMotion()
    }

    override func viewDidChange(_ change: ViewChange) {
        updateMotion()
        super.viewDidChange(change)
    }

    /// A spinner that turns costs a frame each time, even when nobody sees it.
    private func updateMotion() {
        let isAnimating = (view as? ActivityIndicatorView)?.isAnimating ?? false
        gtk_spinner_set_spinning(OpaquePointer(widget), isAnimating ? 1 : 0)
    }
}

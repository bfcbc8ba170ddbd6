public import CGtk
public import Kingfisher

/// A view that shows any GTK widget, so that it can be a subview, a placeholder or an indicator.
///
/// The widget fills the view, under the view's own subviews, and is hidden, faded and transformed with the
/// view. The view retains the widget and takes ownership of a floating reference.
@MainActor open class WidgetView: View {
    /// The wrapped widget; valid as long as the view lives.
    public let content: UnsafeMutablePointer<GtkWidget>

    /// Creates a view that shows `widget`.
    ///
    /// A widget that already has a parent, or is a window, stays where it is, and the view is empty: GTK
    /// containers manage their own children.
    public init(wrapping widget: UnsafeMutablePointer<GtkWidget>) {
        content = widget
        super.init()
        g_object_ref_sink(UnsafeMutableRawPointer(widget))
        // Created now rather than on first use, so that the first of two views for one widget shows it.
        _ = WidgetAdapter.adapter(of: self)
    }

    isolated deinit {
        g_object_unref(UnsafeMutableRawPointer(content))
    }
}

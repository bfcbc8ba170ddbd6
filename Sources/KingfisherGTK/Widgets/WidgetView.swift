public import CGtk
public import Kingfisher

/// A view that shows any GTK widget, so that it can be a subview, a placeholder or an indicator.
///
/// The widget fills the view, under the view's own subviews, and takes part in what happens to the view: it
/// is hidden, faded and transformed with it. The view keeps the widget. Nothing else needs to: a floating
/// reference is taken over.
@MainActor open class WidgetView: View {
    /// The widget that the view shows; good as long as the view lives.
    public let content: UnsafeMutablePointer<GtkWidget>

    /// Shows `widget`, which lies nowhere yet.
    ///
    /// One that lies in another widget, or is a window of its own, stays there, and the view is empty: GTK's
    /// containers know their children, so that nobody else can take one out.
    public init(wrapping widget: UnsafeMutablePointer<GtkWidget>) {
        content = widget
        super.init()
        g_object_ref_sink(UnsafeMutableRawPointer(widget))
        // Now rather than on first use, so that of two views for one widget the first has it.
        _ = WidgetAdapter.adapter(of: self)
    }

    isolated deinit {
        g_object_unref(UnsafeMutableRawPointer(content))
    }
}

public import CGtk
public import Kingfisher

extension View {
    /// The GTK widget that shows this view; put it into a window with
    /// `gtk_window_set_child(window, view.widget)`.
    ///
    /// It is created on first access, together with the widgets of the subviews. GTK must be initialised by
    /// then, by `gtk_init` or the "activate" signal of a GtkApplication. View and widget have the same
    /// lifetime: the view retains its widget, and a widget in a window retains its view. If nothing else
    /// retains the view, the pointer is valid until the main loop is idle, which is long enough to pass it to
    /// GTK.
    ///
    /// A widget has one parent. The widget of a subview is in its superview's widget, unless the program has
    /// put it into a window or another container; then it stays there, and the superview does not show it.
    public var widget: UnsafeMutablePointer<GtkWidget> {
        let adapter = WidgetAdapter.adapter(of: self)
        adapter.retainViewUntilIdle()
        return adapter.widget
    }
}

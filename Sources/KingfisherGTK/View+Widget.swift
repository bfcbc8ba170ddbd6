public import CGtk
public import Kingfisher

extension View {
    /// The GTK widget that shows this view, to be put into a window by
    /// `gtk_window_set_child(window, view.widget)`.
    ///
    /// Made on first use, when GTK must have been initialised (`gtk_init`, or the "activate" of a
    /// GtkApplication), together with the widgets of the subviews. View and widget live and die together: the
    /// view keeps its widget, and a widget that sits in a window keeps its view. The pointer of a view that
    /// nothing else keeps is good until the main loop turns, time enough to hand it to GTK.
    ///
    /// A widget lies in one place: that of a subview is in its superview's, unless the program has put it
    /// into a window or container of its own; there it stays, and the superview does without it.
    public var widget: UnsafeMutablePointer<GtkWidget> {
        let adapter = WidgetAdapter.adapter(of: self)
        adapter.keepViewForThisTurn()
        return adapter.widget
    }
}

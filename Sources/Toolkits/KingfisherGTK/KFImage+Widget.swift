public import CGtk
public import Kingfisher

extension KFImageProtocol {
    /// Creates a GTK widget that shows the image.
    ///
    ///     let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6)
    ///     let row = KFImage(url).resizable().scaledToFit().makeWidget()
    ///     print(box as Any, row)
    ///
    /// Its natural size is the size of the image, and before that the size of the placeholder. The pointer is
    /// valid until the main loop is idle, and as long as a window or another container holds the widget. See
    /// `makeView()`.
    @MainActor public func makeWidget() -> UnsafeMutablePointer<GtkWidget> {
        makeView().widget
    }

    /// Makes a widget of `makeWidget()` show this value instead of the one it shows; see the overload for
    /// views.
    ///
    /// Returns false, without a change, if `widget` shows no view of this kind of value.
    @MainActor @discardableResult
    public func update(_ widget: UnsafeMutablePointer<GtkWidget>) -> Bool {
        guard let view = ViewWidgetClass.view(of: widget) as? KFCrossPlatformImageView else { return false }
        return update(view)
    }
}

public import CGtk
public import Kingfisher

/// A cell that a list fills for one item after the other. Every `View` is one.
@MainActor public protocol ListCell: AnyObject {
    /// The widget of the cell.
    var widget: UnsafeMutablePointer<GtkWidget> { get }

    /// The views of the cell that load images.
    var imageViews: [ImageView] { get }
}

extension View: ListCell {
    /// The view itself if it is an image view; otherwise those among its subviews and in the widget that it
    /// wraps, at any depth.
    ///
    /// Not the subviews of an image view: they are its placeholder and its indicator.
    public var imageViews: [ImageView] { outermost(ImageView.self) }

    /// The views of a class among this view and all views in it, without those in another such view.
    func outermost<Part: View>(_ type: Part.Type) -> [Part] {
        if let part = self as? Part { return [part] }
        let wrapped = (self as? WidgetView).map { ViewWidgetClass.views(in: $0.content) } ?? []
        return (wrapped + subviews).flatMap { $0.outermost(type) }
    }
}

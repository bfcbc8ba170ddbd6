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
    /// The view itself if it is an image view; otherwise those of its subviews, at any depth.
    ///
    /// Not the subviews of an image view: they are its placeholder and its indicator.
    public var imageViews: [ImageView] {
        (self as? ImageView).map { [$0] } ?? subviews.flatMap(\.imageViews)
    }
}

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
    /// The view itself and its subviews at any depth, as far as they are image views.
    public var imageViews: [ImageView] {
        ((self as? ImageView).map { [$0] } ?? []) + subviews.flatMap(\.imageViews)
    }
}

import CAdwaita
import KingfisherGTK

@MainActor final class Sidebar {
    let widget: Widget
    private let list = gtk_list_box_new()!
    private let header = adw_header_bar_new()!

    /// - Parameter select: called with the index of the page that the user selects.
    init(pages: [any GalleryPage], select: @escaping @MainActor (Int) -> Void) {
        adw_header_bar_set_title_widget(header.opaque, adw_window_title_new("Kingfisher", "Gallery"))
        let scroller = Widget.scroller(around: list.styled("navigation-sidebar"))
        widget = Widget.column(header.styled("flat"), scroller).styled("sidebar-pane").sized(width: 230)
        gtk_widget_set_hexpand(widget, 0)
        for page in pages { gtk_list_box_append(list.opaque, Self.makeRow(page)) }
        connect(list, "row-activated") { row in
            select(Int(gtk_list_box_row_get_index(UnsafeMutablePointer(row))))
        }
    }

    private static func makeRow(_ page: any GalleryPage) -> Widget {
        Widget.row(spacing: 12, Widget.icon(page.icon), Widget.label(page.title)).padded(6, 9)
    }

    func select(_ index: Int) {
        gtk_list_box_select_row(list.opaque, gtk_list_box_get_row_at_index(list.opaque, Int32(index)))
    }

    /// Shows the window buttons in this header only while it spans the window.
    func follow(leaflet: Widget) {
        g_object_bind_property(leaflet, "folded", header, "show-end-title-buttons", cadwaita_sync_create)
    }
}

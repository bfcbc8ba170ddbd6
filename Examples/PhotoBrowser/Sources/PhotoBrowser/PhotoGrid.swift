package import Foundation
package import KingfisherGTK

/// A scrolled grid of photos. Enter or a click opens one.
@MainActor package final class PhotoGrid: WidgetView {
    /// The photos; setting them scrolls to the top.
    package var photos: [URL] {
        get { shown }
        set {
            shown = newValue
            let names = gtk_string_list_new(nil)
            for photo in newValue { gtk_string_list_append(names, photo.lastPathComponent) }
            let selection = gtk_single_selection_new(names)
            gtk_grid_view_set_model(grid.opaque, selection)
            g_object_unref(UnsafeMutableRawPointer(selection))
        }
    }

    /// Opens the photo at an index.
    package var onOpen: ((Int) -> Void)?
    package private(set) lazy var cells = CellFactory {
        let view = ImageView()
        view.contentMode = .scaleAspectFill
        gtk_widget_set_size_request(view.widget, 160, 120)
        return view
    } fill: { [weak self] view, position in
        guard let self else { return }
        view.alternativeText = photos[position].lastPathComponent
        let scale = CGFloat(gtk_widget_get_scale_factor(view.widget))
        let size = DesktopThumbnailSize(covering: CGSize(width: 160, height: 120), scale: scale)
        // A photo that was turned is a changed file.
        view.kf.setImage(with: thumbnail(photos[position], size), options: [.cacheMemoryOnly, .watchesFile])
    }
    private var shown: [URL] = []
    private let thumbnail: (URL, DesktopThumbnailSize) -> Source?
    private let grid = gtk_grid_view_new(nil, nil)!

    /// - Parameter thumbnail: returns the source of a photo's thumbnail; nil for an empty cell.
    package init(
        thumbnail: @escaping (URL, DesktopThumbnailSize) -> Source? = { .desktopThumbnail(of: $0, $1) }
    ) {
        self.thumbnail = thumbnail
        let scroller = gtk_scrolled_window_new()!
        gtk_scrolled_window_set_child(scroller.opaque, grid)
        super.init(wrapping: scroller)
        let factory = cells.makeFactory()
        gtk_grid_view_set_factory(grid.opaque, factory)
        g_object_unref(UnsafeMutableRawPointer(factory))
        gtk_grid_view_set_max_columns(grid.opaque, 12)
        gtk_grid_view_set_single_click_activate(grid.opaque, 1)
        kf_gtk_set_accessible_label(grid, "Photos")
        grid.onSignal("activate") { [weak self] in self?.onOpen?(Int($0)) }
    }

    isolated deinit {}

    /// Removes a photo, and returns its position. The others stay in sight.
    package func remove(_ photo: URL) -> Int? {
        guard let position = shown.firstIndex(of: photo) else { return nil }
        shown.remove(at: position)
        let names = gtk_single_selection_get_model(gtk_grid_view_get_model(grid.opaque))
        gtk_string_list_remove(names, guint(position))
        return position
    }

    /// Moves the focus to a photo, and scrolls only if it is out of sight.
    package func focus(on position: Int) {
        guard photos.indices.contains(position) else { return }
        gtk_single_selection_set_selected(gtk_grid_view_get_model(grid.opaque), guint(position))
        gtk_widget_activate_action_variant(grid, "list.scroll-to-item", g_variant_new_uint32(guint(position)))
        let cell = cells.cells.first { $0.position == position }?.cell
        gtk_widget_grab_focus(cell.flatMap { gtk_widget_get_parent($0.widget) } ?? grid)
    }
}

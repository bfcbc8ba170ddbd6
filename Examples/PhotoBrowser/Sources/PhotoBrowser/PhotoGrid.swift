package import Foundation
package import KingfisherGTK

/// A scrolled grid of photos. Enter or a click opens one.
@MainActor package final class PhotoGrid: WidgetView {
    /// The photos; setting them scrolls to the top.
    package var photos: [URL] = [] {
        didSet {
            let names = gtk_string_list_new(nil)
            for photo in photos { gtk_string_list_append(names, photo.lastPathComponent) }
            let selection = gtk_single_selection_new(names)
            gtk_grid_view_set_model(OpaquePointer(grid), selection)
            g_object_unref(UnsafeMutableRawPointer(selection))
        }
    }

    /// Opens a photo, of which a thumbnail may be at hand.
    package var onOpen: ((_ photo: URL, _ thumbnail: Image?) -> Void)?
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
        view.kf.setImage(with: thumbnail(photos[position], size), options: [.cacheMemoryOnly])
    }
    private let thumbnail: (URL, DesktopThumbnailSize) -> Source?
    private let grid = gtk_grid_view_new(nil, nil)!

    /// - Parameter thumbnail: returns the source of a photo's thumbnail; nil for an empty cell.
    package init(
        thumbnail: @escaping (URL, DesktopThumbnailSize) -> Source? = { .desktopThumbnail(of: $0, $1) }
    ) {
        self.thumbnail = thumbnail
        let scroller = gtk_scrolled_window_new()!
        gtk_scrolled_window_set_child(OpaquePointer(scroller), grid)
        super.init(wrapping: scroller)
        let factory = cells.makeFactory()
        gtk_grid_view_set_factory(OpaquePointer(grid), factory)
        g_object_unref(UnsafeMutableRawPointer(factory))
        gtk_grid_view_set_max_columns(OpaquePointer(grid), 12)
        gtk_grid_view_set_single_click_activate(OpaquePointer(grid), 1)
        let activated: @convention(c) (OpaquePointer?, UInt32, gpointer?) -> Void = { _, position, data in
            nonisolated(unsafe) let data = data
            MainActor.assumeIsolated {
                Unmanaged<PhotoGrid>.fromOpaque(data!).takeUnretainedValue().open(Int(position))
            }
        }
        g_signal_connect_data(
            grid, "activate", unsafeBitCast(activated, to: GCallback.self),
            Unmanaged.passUnretained(self).toOpaque(), nil, GConnectFlags(rawValue: 0))
    }

    isolated deinit {}

    package func focus() { gtk_widget_grab_focus(grid) }

    private func open(_ position: Int) {
        onOpen?(photos[position], cells.cells.first { $0.position == position }?.cell.image)
    }
}

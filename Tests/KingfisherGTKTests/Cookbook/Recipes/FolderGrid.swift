import KingfisherGTK

/// Lists the images in a folder, not on the main thread.
@concurrent func images(in folder: URL) async -> [URL] {
    let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return (files ?? []).filter { ["jpg", "jpeg", "png", "gif"].contains($0.pathExtension.lowercased()) }
        .sorted { $0.path.localizedStandardCompare($1.path) == .orderedAscending }
}

/// A grid of photos; Enter or a click calls `open`.
@MainActor func grid(of photos: [URL], open: @escaping (_ photo: URL, _ thumbnail: Image?) -> Void) -> View {
    let cells = CellFactory {
        let view = ImageView()
        view.contentMode = .scaleAspectFill
        gtk_widget_set_size_request(view.widget, 160, 120)
        return view
    } fill: { view, position in
        view.alternativeText = photos[position].lastPathComponent
        let scale = CGFloat(gtk_widget_get_scale_factor(view.widget))
        let size = DesktopThumbnailSize(covering: CGSize(width: 160, height: 120), scale: scale)
        view.kf.setImage(with: .desktopThumbnail(of: photos[position], size), options: [.cacheMemoryOnly])
    }
    let names = gtk_string_list_new(nil)
    for photo in photos { gtk_string_list_append(names, photo.lastPathComponent) }
    let grid = gtk_grid_view_new(gtk_single_selection_new(names), cells.makeFactory())!
    gtk_grid_view_set_single_click_activate(OpaquePointer(grid), 1)
    grid.onSignal("activate") { position in
        open(photos[Int(position)], cells.cells.first { $0.position == Int(position) }?.cell.image)
    }
    let scroller = gtk_scrolled_window_new()!
    gtk_scrolled_window_set_child(OpaquePointer(scroller), grid)
    return WidgetView(wrapping: scroller)
}

import CAdwaita
import KingfisherGTK

@MainActor final class GridPage: GalleryPage {
    private static let count = 60

    let title = "Grid"
    let subtitle = "JPEG and WebP images in recycled cells"
    let icon = "view-grid-symbolic"
    private(set) var widget: Widget
    private let server: PhotoServer
    private let placeholder: Image
    private let failure: Image
    /// The cells that show an item, by GtkListItem.
    private var bound: [OpaquePointer: (cell: PhotoCell, position: Int)] = [:]
    private var cells: [OpaquePointer: PhotoCell] = [:]
    /// Part of each URL, so that "Load Again" bypasses the cache.
    private var round = 1
    /// Whether fades pause in the middle, for a screenshot.
    private var haltsFades = false

    init(server: PhotoServer, placeholder: Image, failure: Image) {
        self.server = server
        self.placeholder = placeholder
        self.failure = failure
        let items = gtk_string_list_new(nil)!
        for position in 0..<Self.count { gtk_string_list_append(items, "\(position)") }
        let factory = gtk_signal_list_item_factory_new()!
        let grid = gtk_grid_view_new(gtk_no_selection_new(items), factory)!
        gtk_grid_view_set_min_columns(grid.opaque, 2)
        gtk_grid_view_set_max_columns(grid.opaque, 6)
        grid.styled("photos")
        let clamp = adw_clamp_scrollable_new()!
        adw_clamp_scrollable_set_maximum_size(clamp.opaque, 1200)
        adw_clamp_scrollable_set_tightening_threshold(clamp.opaque, 1200)
        adw_clamp_scrollable_set_child(clamp.opaque, grid)
        widget = .scroller(around: clamp)
        recycleCells(of: UnsafeMutableRawPointer(factory))
    }

    var action: PageAction {
        PageAction(title: "Load Again", icon: "view-refresh-symbolic") { [weak self] in self?.loadAgain() }
    }

    func appear() {}

    private func recycleCells(of factory: UnsafeMutableRawPointer) {
        connect(factory, "setup") { [unowned self] item in
            let cell = PhotoCell(placeholder: placeholder, failure: failure)
            cells[item] = cell
            gtk_list_item_set_child(item, cell.widget)
        }
        connect(factory, "bind") { [unowned self] item in
            guard let cell = cells[item] else { return }
            let position = Int(gtk_list_item_get_position(item))
            bound[item] = (cell, position)
            load(cell, at: position)
        }
        connect(factory, "unbind") { [unowned self] item in
            bound[item] = nil
            cells[item]?.clear()
        }
        connect(factory, "teardown") { [unowned self] item in cells[item] = nil }
    }

    private func load(_ cell: PhotoCell, at position: Int) {
        let photo = Photo.all[position % Photo.all.count]
        let url = server.url(of: photo, copy: "\(round)-\(position)")
        let halt = NetworkConditions.fraction(of: "\(position)")
        cell.load(url, haltingAt: haltsFades ? halt : nil)
    }

    private func loadAgain() {
        round += 1
        KingfisherManager.shared.cache.clearCache()
        for (cell, position) in bound.values { load(cell, at: position) }
    }
}

extension GridPage {
    var scenes: [Scene] {
        [
            Scene(name: "grid-loading") { [self] in
                try await wait(for: "cells") { !bound.isEmpty }
                server.hold(share: 0.3)
                haltsFades = true
                loadAgain()
                try await wait(for: "fades") {
                    let stopped = bound.values.count { $0.cell.isHalted || $0.cell.isSettled }
                    return stopped > 0 && stopped + server.heldCount >= bound.count
                }
            },
            Scene(name: "grid") { [self] in
                haltsFades = false
                server.release()
                try await wait(for: "images") {
                    for (cell, _) in bound.values { cell.resume() }
                    return bound.values.allSatisfy(\.cell.isSettled)
                }
                if let error = bound.values.lazy.compactMap(\.cell.error).first { throw error }
            },
        ]
    }
}

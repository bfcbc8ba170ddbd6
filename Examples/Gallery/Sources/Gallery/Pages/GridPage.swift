import CAdwaita
import KingfisherGTK

@MainActor final class GridPage: GalleryPage {
    private static let count = 60

    let title = "Grid"
    let subtitle = "JPEG and WebP images in recycled cells"
    let icon = "view-grid-symbolic"
    private(set) lazy var widget = makeWidget()
    private let server: PhotoServer
    private let placeholder: Image
    private let failure: Image
    private lazy var cells = CellFactory { [placeholder, failure] in
        PhotoCell(placeholder: placeholder, failure: failure)
    } fill: { [unowned self] cell, position in
        load(cell, at: position)
    }
    /// Part of each URL, so that "Load Again" bypasses the cache.
    private var round = 1
    /// Whether fades pause in the middle, for a screenshot.
    private var haltsFades = false

    init(server: PhotoServer, placeholder: Image, failure: Image) {
        self.server = server
        self.placeholder = placeholder
        self.failure = failure
    }

    private func makeWidget() -> Widget {
        let items = gtk_string_list_new(nil)!
        for position in 0..<Self.count { gtk_string_list_append(items, "\(position)") }
        let grid = gtk_grid_view_new(gtk_no_selection_new(items), cells.makeFactory())!
        gtk_grid_view_set_min_columns(grid.opaque, 2)
        gtk_grid_view_set_max_columns(grid.opaque, 6)
        grid.styled("photos")
        let clamp = adw_clamp_scrollable_new()!
        adw_clamp_scrollable_set_maximum_size(clamp.opaque, 1200)
        adw_clamp_scrollable_set_tightening_threshold(clamp.opaque, 1200)
        adw_clamp_scrollable_set_child(clamp.opaque, grid)
        return .scroller(around: clamp)
    }

    var action: PageAction {
        PageAction(title: "Load Again", icon: "view-refresh-symbolic") { [weak self] in self?.loadAgain() }
    }

    func appear() {}

    private func load(_ cell: PhotoCell, at position: Int) {
        let photo = Photo.all[position % Photo.all.count]
        let url = server.url(of: photo, copy: "\(round)-\(position)")
        let halt = NetworkConditions.fraction(of: "\(position)")
        cell.load(url, haltingAt: haltsFades ? halt : nil)
    }

    private func loadAgain() {
        round += 1
        KingfisherManager.shared.cache.clearCache()
        cells.refill()
    }
}

extension GridPage {
    /// Without the row below them, which GTK 4.18 also maps: its loads may wait for those that are held.
    private var shown: [PhotoCell] { cells.cells.map(\.cell).filter(\.isSeen) }

    var scenes: [Scene] {
        [
            Scene(name: "grid-loading") { [self] in
                try await wait(for: "cells") { !shown.isEmpty }
                server.hold(share: 0.3)
                haltsFades = true
                loadAgain()
                try await wait(for: "fades") {
                    let shown = shown
                    return !shown.isEmpty
                        && shown.allSatisfy { $0.isHalted || $0.isSettled || server.holds($0.url) }
                }
            },
            Scene(name: "grid") { [self] in
                haltsFades = false
                server.release()
                try await wait(for: "images") {
                    for cell in shown { cell.resume() }
                    return shown.allSatisfy(\.isSettled)
                }
                if let error = shown.lazy.compactMap(\.error).first { throw error }
            },
        ]
    }
}

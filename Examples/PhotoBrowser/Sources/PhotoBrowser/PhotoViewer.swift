internal import Foundation
package import KingfisherGTK

/// One photo of a grid over the whole window: zoom, neighbours, details, turning and deleting.
@MainActor package final class PhotoViewer: WidgetView {
    package let zoom = ZoomableImageView()
    package let details = PhotoDetails()
    /// The position of the photo in the grid.
    package private(set) var position = 0
    /// The photo on screen; nil while the viewer is closed.
    private var photo: URL? {
        didSet { details.photo = photo }
    }
    package var onClose: (() -> Void)?
    /// Shows a message; nil removes the last one.
    package var onProblem: ((String?) -> Void)?
    private let grid: PhotoGrid
    private let (name, level) = (Widget.label(), Widget.label())
    private lazy var previous = button("go-previous-symbolic", "Previous photo", "Page_Up") { $0.step(-1) }
    private lazy var next = button("go-next-symbolic", "Next photo", "Page_Down") { $0.step(1) }
    /// The photo on screen and its neighbours.
    private var images: [URL: Task<TiledImage, any Error>] = [:]
    private var (loading, changing): (Task<Void, Never>?, Task<Void, Never>?)

    package init(of grid: PhotoGrid) {
        self.grid = grid
        let (page, stage) = (Widget.column(), gtk_overlay_new()!)
        super.init(wrapping: page)
        _ = page.with(
            .bar().with(
                button("view-grid-symbolic", "Back to the grid", "Escape") { $0.onClose?() }, name,
                button("object-rotate-right-symbolic", "Turn clockwise", "<Control>r") { $0.turn() },
                details.button,
                button("user-trash-symbolic", "Move to the trash", "Delete") { $0.moveToTrash() }),
            stage,
            .bar().with(
                previous, next, level, button("zoom-out-symbolic", "Zoom out") { $0.zoom.zoomOut() },
                button("zoom-in-symbolic", "Zoom in") { $0.zoom.zoomIn() },
                button("zoom-fit-best-symbolic", "Fit the window") { $0.zoom.zoomToFit() },
                button("zoom-original-symbolic", "Original size") { $0.zoom.zoomToActualSize() }))
        gtk_overlay_set_child(stage.opaque, zoom.widget)
        gtk_overlay_add_overlay(stage.opaque, details.panel)
        gtk_widget_set_vexpand(stage, 1)
        zoom.onZoomChange = { [level] in gtk_label_set_text(level.opaque, "\(Int(($0 * 100).rounded())) %") }
        zoom.onFailure = { [weak self] in self?.fail("shown", $0) }
        // After the view, which needs these keys to scroll a photo that does not fit.
        let end = gtk_widget_get_default_direction() == GTK_TEXT_DIR_RTL ? -1 : 1
        content.onKey("Right") { [weak self] in self?.step(end) }
        content.onKey("Left") { [weak self] in self?.step(-end) }
    }

    isolated deinit {}

    private func button(
        _ icon: String, _ name: String, _ key: String? = nil, _ action: @escaping (PhotoViewer) -> Void
    ) -> Widget {
        let button = Widget.button(icon, name)
        button.onSignal("clicked") { [weak self] _ in self.map(action) }
        if let key { content.onKey(key, phase: GTK_PHASE_CAPTURE) { [weak self] in self.map(action) } }
        return button
    }

    /// Shows the photo at a position, and opens its neighbours.
    package func show(_ position: Int) {
        let nearby = [position, position + 1, position - 1].filter(grid.photos.indices.contains)
            .map { grid.photos[$0] }
        (self.position, photo) = (position, nearby[0])
        zoom.alternativeText = nearby[0].lastPathComponent
        gtk_label_set_text(name.opaque, nearby[0].lastPathComponent)
        gtk_widget_set_sensitive(previous, position > 0 ? 1 : 0)
        gtk_widget_set_sensitive(next, position + 1 < grid.photos.count ? 1 : 0)
        // A button that has become insensitive has lost the focus.
        if gtk_root_get_focus(gtk_widget_get_root(content)) == nil { focus() }
        onProblem?(nil)
        zoom.image = nil
        let opened = nearby.map { photo in
            (photo, images[photo] ?? Task { try await TiledImage.open(photo.convertToSource()) })
        }
        images = Dictionary(uniqueKeysWithValues: opened)
        loading?.cancel()
        loading = Task { [weak self] in await self?.load(opened.map(\.1)) }
    }

    package func focus() { gtk_widget_child_focus(zoom.widget, GTK_DIR_TAB_FORWARD) }

    /// Shows the first image, and prefetches the overviews of the others.
    private func load(_ images: [Task<TiledImage, any Error>]) async {
        do {
            let image = try await images[0].value
            if Task.isCancelled { return }
            zoom.image = image
        } catch {
            if !Task.isCancelled { fail("shown", error) }
        }
        let scale = Int(gtk_widget_get_scale_factor(content))
        let width = Int(gtk_widget_get_width(zoom.widget)), height = Int(gtk_widget_get_height(zoom.widget))
        let size = PixelSize(width: width * scale, height: height * scale)
        for image in images where !Task.isCancelled { _ = try? await image.value.overview(covering: size) }
    }

    /// Releases the photos.
    package func close() {
        loading?.cancel()
        (images, zoom.image, photo) = ([:], nil, nil)
    }

    private func step(_ count: Int) {
        if grid.photos.indices.contains(position + count) { show(position + count) }
    }

    private func turn() {
        change("turned", { try await ImageFileEditor($0).rotate(byQuarterTurns: 1) }) { viewer, photo in
            viewer.images[photo] = nil
            if viewer.photo == photo { viewer.show(viewer.position) }
        }
    }

    private func moveToTrash() {
        change("moved to the trash", { try await ImageFileEditor($0).moveToTrash() }) { viewer, photo in
            guard let removed = viewer.grid.remove(photo), viewer.photo != nil else { return }
            let earlier = removed < viewer.position ? 1 : 0
            let position = min(viewer.position - earlier, viewer.grid.photos.count - 1)
            if position < 0 { viewer.onClose?() } else { viewer.show(position) }
        }
    }

    /// Changes the file of the photo on screen, after earlier changes have ended.
    private func change(
        _ failure: String, _ edit: @escaping @Sendable (URL) async throws -> Void,
        _ update: @escaping (PhotoViewer, URL) -> Void
    ) {
        guard let photo else { return }
        changing = Task { [weak self, changing] in
            await changing?.value
            guard let self, grid.photos.contains(photo) else { return }
            do {
                try await edit(photo)
                update(self, photo)
            } catch {
                fail(failure, error, photo)
            }
        }
    }

    private func fail(_ failure: String, _ error: any Error, _ file: URL? = nil) {
        let name = (file ?? photo)?.lastPathComponent ?? ""
        onProblem?("“\(name)” cannot be \(failure). \(error.localizedDescription)")
    }
}

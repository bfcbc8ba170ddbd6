import KingfisherGTK

/// One photo in every format, side by side.
@MainActor final class FormatsPage: GalleryPage {
    let title = "Formats"
    let subtitle = "One photo in every format that can be written"
    let icon = "image-x-generic-symbolic"
    let widget: Widget
    private let server: PhotoServer
    private let photos = Photo.formats
    private let views: [ImageView]
    private var results: [Int: Result<RetrieveImageResult, KingfisherError>] = [:]

    init(server: PhotoServer) {
        self.server = server
        views = photos.map { _ in ImageView() }
        let tiles = zip(photos, views).map { photo, view in
            Tile(image: view, title: photo.title, detail: Self.detail(of: photo, on: server), height: 190)
                .widget
        }
        for view in views { view.kf.indicatorType = .activity }
        widget = .scroller(Widget.tiles(tiles, columns: 1...4).styled("page"))
    }

    /// The library, the mode and the size of the file.
    private static func detail(of photo: Photo, on server: PhotoServer) -> String {
        guard let codec = photo.format.flatMap({ ImageCodecs.codec(for: $0) }),
            let size = try? server.bytes(of: photo).count
        else { return "cannot be written" }
        let mode = codec.capabilities.contains(.encodesLossy) ? "quality 80" : "lossless"
        return "\(ByteCount.text(UInt(size))), \(mode)"
    }

    var action: PageAction {
        PageAction(title: "Load Again", icon: "view-refresh-symbolic") { [weak self] in
            KingfisherManager.shared.cache.clearCache()
            self?.load()
        }
    }

    func appear() {
        if results.isEmpty { load() }
    }

    private func load() {
        results = [:]
        for (index, view) in views.enumerated() {
            view.kf.setImage(with: server.directURL(of: photos[index], copy: "formats")) {
                [weak self] in self?.results[index] = $0
            }
        }
    }

    var scenes: [Scene] {
        [
            Scene(name: "formats") { [self] in
                try await wait(for: "the image in every format") { results.count == views.count }
                for result in results.values { _ = try result.get() }
            }
        ]
    }
}

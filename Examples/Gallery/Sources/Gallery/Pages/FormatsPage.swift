import Foundation
import KingfisherGTK
import KingfisherTestSupport
import KingfisherVideo

/// One photo in every format, an SVG icon that is rendered for its view, and a frame of a video.
@MainActor final class FormatsPage: GalleryPage {
    let title = "Formats"
    let subtitle = "One photo in every format that can be written"
    let icon = "image-x-generic-symbolic"
    let widget: Widget
    private let server: PhotoServer
    private let photos = Photo.formats
    private let views: [ImageView]
    private let drawing = ImageView()
    private let frame = ImageView()
    private var results: [Int: Result<RetrieveImageResult, KingfisherError>] = [:]
    /// An error without the decoder, or without FFmpeg, which a system may lack.
    private var frameResult: Result<RetrieveImageResult, KingfisherError>?

    init(server: PhotoServer) {
        self.server = server
        views = photos.map { _ in ImageView() }
        let tiles = zip(photos, views).map { photo, view in
            Tile(image: view, title: photo.title, detail: Self.detail(of: photo, on: server), height: 190)
                .widget
        }
        let icon = Tile(
            image: drawing, title: "SVG", detail: "24 × 24 pixels, rendered for this view", height: 190
        ).widget
        let video = Tile(
            image: frame, title: "Video", detail: "Frame at 1 second, by the decoder process", height: 190
        ).widget
        for view in views + [drawing, frame] { view.kf.indicatorType = .activity }
        widget = .scroller(Widget.tiles(tiles + [icon, video], columns: 1...4).styled("page"))
    }

    /// The library, the mode and the size of the file.
    private static func detail(of photo: Photo, on server: PhotoServer) -> String {
        guard let codec = photo.format.flatMap({ ImageCodecs.codec(for: $0) }),
            let size = try? server.bytes(of: photo).count
        else { return "cannot be written" }
        let mode = codec.capabilities.contains(.encodesLossy) ? "quality 80" : "lossless"
        return "\(ByteCount.text(UInt(size))), \(mode)"
    }

    var action: PageAction { .loadAgain { [weak self] in self?.load() } }

    func appear() {
        if results.isEmpty { load() }
    }

    private func load() {
        (results, frameResult) = ([:], nil)
        for (index, view) in views.enumerated() {
            view.kf.setImage(with: server.directURL(of: photos[index], copy: "formats")) {
                [weak self] in self?.results[index] = $0
            }
        }
        let data = Data(Self.icon.utf8)
        drawing.kf.setImage(with: .provider(RawImageDataProvider(data: data, cacheKey: "formats-icon"))) {
            [weak self] in self?.results[-1] = $0
        }
        let clip = Fixtures.url(named: "Video/panorama.mp4")
        frame.kf.setImage(with: .provider(AVAssetImageDataProvider(assetURL: clip, seconds: 1))) {
            [weak self] in self?.frameResult = $0
        }
    }

    /// Thin lines and text, which show whether pixels were enlarged.
    private static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" width="24" height="24">
        <circle cx="12" cy="12" r="11" fill="#1c71d8"/>
        <path d="M4 15 L10 6 L14 12 L16 9 L20 15 Z" fill="#fff"/>
        <path d="M3 12 H21 M12 3 V21" stroke="#000" stroke-width="0.25"/>
        <text x="5.5" y="20" font-size="4.5" font-family="sans-serif" fill="#fff">Vector</text></svg>
        """

    var scenes: [Scene] {
        [
            Scene(name: "formats") { [self] in
                try await wait(for: "the image in every format") {
                    results.count == views.count + 1 && frameResult != nil
                }
                for result in results.values { _ = try result.get() }
            }
        ]
    }
}

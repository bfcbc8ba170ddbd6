import KingfisherGTK

@MainActor final class ProcessorsPage: GalleryPage {
    let title = "Processors"
    let subtitle = "One photo, downloaded once"
    let icon = "applications-graphics-symbolic"
    let widget: Widget
    private let url: URL
    private let views: [ImageView]
    private var results: [Int: Result<RetrieveImageResult, KingfisherError>] = [:]

    init(server: PhotoServer) {
        url = server.url(of: .cat, copy: "processors")
        let samples = ProcessorSample.all
        views = samples.map { _ in ImageView() }
        let tiles = zip(samples, views).map { Tile(image: $1, title: $0.title, code: $0.code).widget }
        for (view, sample) in zip(views, samples) {
            view.contentMode = sample.contentMode
            view.kf.indicatorType = .activity
        }
        widget = .scroller(Widget.tiles(tiles, columns: 1...3).styled("page"))
    }

    var action: PageAction { .loadAgain { [weak self] in self?.load() } }

    func appear() {
        if results.isEmpty { load() }
    }

    private func load() {
        results = [:]
        for (index, sample) in ProcessorSample.all.enumerated() {
            let view = views[index]
            let options = sample.options + [.scaleFactor(view.widget.scale), .transition(.fade(0.4))]
            view.kf.setImage(with: url, options: options) { [weak self] in self?.results[index] = $0 }
        }
    }

    var scenes: [Scene] {
        [
            Scene(name: "processors") { [self] in
                try await wait(for: "the processed images") { results.count == views.count }
                for result in results.values { _ = try result.get() }
            }
        ]
    }
}

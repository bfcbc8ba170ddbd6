import KingfisherGTK

@MainActor final class ProgressivePage: GalleryPage {
    let title = "Progressive"
    let subtitle = "JPEG photos that appear while they download"
    let icon = "view-continuous-symbolic"
    let widget: Widget
    private let server: PhotoServer
    private let views: [ProgressiveView]
    /// Part of each URL, to bypass the cache.
    private var round = 0
    /// Holds responses back for a screenshot.
    private var held: ScanSender.Stops?

    init(server: PhotoServer) {
        self.server = server
        views = ProgressiveSample.all.map { ProgressiveView($0) }
        widget = .scroller(Widget.tiles(views.map(\.tile.widget), columns: 1...2).styled("page"))
    }

    var action: PageAction {
        PageAction(title: "Load Again", icon: "view-refresh-symbolic") { [weak self] in self?.load() }
    }

    func appear() {
        if round == 0 { load() }
    }

    private func load() {
        round += 1
        for (index, view) in views.enumerated() { view.load(server.scansURL(copy: "\(round)-\(index)")) }
    }
}

extension ProgressivePage {
    var scenes: [Scene] {
        [
            Scene(name: "progressive-1") { [self] in
                server.release()
                let stops = server.holdScans()
                load()
                stops.release(upTo: 1)
                try await wait(for: "the first scans") { views.allSatisfy { $0.updates == 1 } }
                guard views.allSatisfy({ $0.url.map(server.requestCount) == 1 && !$0.hasEnded }) else {
                    throw Failure("a progressive image was requested more than once or completed too early")
                }
                held = stops
            },
            Scene(name: "progressive-4") { [self] in
                held?.release(upTo: 4)
                try await wait(for: "the fourth scans") { views.allSatisfy { $0.updates >= 2 } }
            },
            Scene(name: "progressive-end", includesDark: true) { [self] in
                server.release()
                held = nil
                try await wait(for: "the complete images") { views.allSatisfy(\.hasEnded) }
                for view in views { try view.check() }
            },
        ]
    }
}

@MainActor private final class ProgressiveView {
    let tile: Tile
    private(set) var url: URL?
    /// The number of previews shown before the complete image.
    private(set) var updates = 0
    private(set) var hasEnded = false
    private let sample: ProgressiveSample
    private let view = ImageView()
    private let state = Widget.label("", "caption")
    private var error: KingfisherError?

    init(_ sample: ProgressiveSample) {
        self.sample = sample
        tile = Tile(image: view, title: sample.title, code: sample.code, height: 230)
        view.kf.indicatorType = .activity
        tile.add(state)
    }

    func load(_ url: URL) {
        self.url = url
        (updates, hasEnded, error) = (0, false, nil)
        let progressive = ImageProgressive(isBlur: sample.isBlur, isFastestScan: true, scanInterval: 0)
        progressive.onImageUpdated.delegate(on: self) { [strategy = sample.strategy] view, image in
            MainActor.assumeIsolated { view.didUpdate(url) }
            return strategy(image)
        }
        state.setText("Waiting for data")
        view.kf.setImage(
            with: url,
            options: sample.options + [.progressiveJPEG(progressive), .transition(.fade(0.3))]
        ) { [weak self] result in
            guard let self, self.url == url else { return }
            if case .failure(let error) = result { self.error = error }
            hasEnded = true
            state.setText(error?.localizedDescription ?? "Complete after \(updates) previews")
        }
    }

    private func didUpdate(_ url: URL) {
        guard url == self.url else { return }
        updates += 1
        state.setText("Preview \(updates)")
    }

    /// Throws if the load failed or showed an unexpected number of previews.
    func check() throws {
        if let error { throw error }
        guard (2...9).contains(updates) else {
            throw Failure("\(sample.title): \(updates) previews before the complete image")
        }
    }
}

import KingfisherGTK

/// Progressive JPEGs from a server that takes its time after every scan.
@MainActor final class ProgressivePage: GalleryPage {
    let title = "Progressive"
    let subtitle = "JPEGs that are seen while they arrive"
    let icon = "view-continuous-symbolic"
    let widget: Widget
    private let server: PhotoServer
    private let views: [ProgressiveView]
    /// Part of each address, so that nothing is found in the cache.
    private var round = 0
    /// What keeps images back for a screenshot.
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
    /// What there is to be seen after the first scans, and in the end.
    var scenes: [Scene] {
        [
            Scene(name: "progressive-1") { [self] in
                server.release()
                let stops = server.holdScans()
                load()
                stops.release(upTo: 1)
                try await wait(for: "first scans") { views.allSatisfy { $0.updates == 1 } }
                guard views.allSatisfy({ $0.url.map(server.requestCount) == 1 && !$0.hasEnded }) else {
                    throw Failure("a progressive image was asked for more than once, or is there too soon")
                }
                held = stops
            },
            Scene(name: "progressive-4") { [self] in
                held?.release(upTo: 4)
                try await wait(for: "fourth scans") { views.allSatisfy { $0.updates >= 2 } }
            },
            Scene(name: "progressive-end", isWantedDark: true) { [self] in
                server.release()
                held = nil
                try await wait(for: "whole images") { views.allSatisfy(\.hasEnded) }
                for view in views { try view.check() }
            },
        ]
    }
}

/// A card with one progressive image, and how far it has come.
@MainActor private final class ProgressiveView {
    let tile: Tile
    private(set) var url: URL?
    /// How many images have come before the whole one.
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
        state.setText("Nothing yet")
        view.kf.setImage(
            with: url,
            options: sample.options + [.progressiveJPEG(progressive), .transition(.fade(0.3))]
        ) { [weak self] result in
            guard let self, self.url == url else { return }
            if case .failure(let error) = result { self.error = error }
            hasEnded = true
            state.setText(error?.localizedDescription ?? "\(updates) images, then the whole one")
        }
    }

    private func didUpdate(_ url: URL) {
        guard url == self.url else { return }
        updates += 1
        state.setText("Image \(updates) of what has come so far")
    }

    /// Throws where the image did not come as it should.
    func check() throws {
        if let error { throw error }
        guard (2...9).contains(updates) else {
            throw Failure("\(sample.title): \(updates) images before the whole one")
        }
    }
}

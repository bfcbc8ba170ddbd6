import KingfisherGTK

/// Every transition side by side, from one photograph to another.
@MainActor final class TransitionsPage: GalleryPage {
    let title = "Transitions"
    let subtitle = "From one image to the next, on demand"
    let icon = "object-flip-horizontal-symbolic"
    let widget: Widget
    private let server: PhotoServer
    private let stages: [Stage]
    private var hasAppeared = false

    init(server: PhotoServer) {
        self.server = server
        stages = TransitionSample.all.map { Stage($0, server: server) }
        let tiles = Widget.tiles(stages.map(\.tile.widget)).styled("page")
        widget = .scroller(tiles)
    }

    var action: PageAction {
        PageAction(title: "Play All", icon: "media-playback-start-symbolic") { [weak self] in
            self?.stages.forEach { $0.play() }
        }
    }

    func appear() {
        guard !hasAppeared else { return }
        hasAppeared = true
        stages.forEach { $0.showFirst() }
    }

    /// All transitions at the same moment.
    var scenes: [Scene] {
        [
            Scene(name: "transitions") { [self] in
                try await wait(for: "first images") { stages.allSatisfy(\.isReady) }
                for stage in stages { stage.play(haltingAt: 0.4) }
                try await wait(for: "transitions under way") { stages.allSatisfy(\.isHalted) }
            }
        ]
    }
}

/// A card on which one transition plays.
@MainActor private final class Stage {
    private static let photos: [Photo] = [.cat, .coffee]

    let tile: Tile
    private let view = ImageView()
    private let sample: TransitionSample
    private let server: PhotoServer
    private var shown = 0
    private var clock: HaltingClock?
    private var hasLoadedSecond = false

    init(_ sample: TransitionSample, server: PhotoServer) {
        self.sample = sample
        self.server = server
        tile = Tile(image: view, title: sample.title, code: sample.code)
        _ = tile.addButton(icon: "media-playback-start-symbolic", tooltip: "Play again") { [weak self] in
            self?.play()
        }
    }

    /// Puts the first photograph there, and the second one into memory, so that later nothing is waited for.
    func showFirst() {
        view.kf.setImage(with: server.directURL(of: Self.photos[0]))
        KingfisherManager.shared.retrieveImage(with: server.directURL(of: Self.photos[1])) { [weak self] _ in
            MainActor.assumeIsolated { self?.hasLoadedSecond = true }
        }
    }

    /// - Parameter halt: where the transition stands still until `resume()`, from 0 to 1; nil to let it run.
    func play(haltingAt halt: Double? = nil) {
        clock = halt.map { HaltingClock(for: view, halt: $0 * TransitionSample.duration) }
        view.clock = clock
        view.alpha = sample.start.alpha
        view.transform = sample.start.transform
        shown = (shown + 1) % Self.photos.count
        view.kf.setImage(
            with: server.directURL(of: Self.photos[shown]),
            options: [.transition(sample.transition), .forceTransition, .keepCurrentImageWhileLoading])
    }

    var isReady: Bool { view.image != nil && hasLoadedSecond }

    /// Whether the transition has come to its halt, or to its end where nothing may move.
    var isHalted: Bool {
        clock?.isHalted == true || (view.runningTransition == nil && view.image != nil)
    }
}

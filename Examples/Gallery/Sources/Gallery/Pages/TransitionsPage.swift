import KingfisherGTK

@MainActor final class TransitionsPage: GalleryPage {
    let title = "Transitions"
    let subtitle = "Animated changes between two photos"
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

    var scenes: [Scene] {
        [
            Scene(name: "transitions") { [self] in
                try await wait(for: "the first images") { stages.allSatisfy(\.isReady) }
                for stage in stages { stage.play(haltingAt: 0.4) }
                try await wait(for: "running transitions") { stages.allSatisfy(\.isHalted) }
            }
        ]
    }
}

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
        _ = tile.addButton(icon: "media-playback-start-symbolic", tooltip: "Play Again") { [weak self] in
            self?.play()
        }
    }

    /// Shows the first photo and loads the second one into memory, so that transitions start without delay.
    func showFirst() {
        view.kf.setImage(with: server.directURL(of: Self.photos[0]))
        KingfisherManager.shared.retrieveImage(with: server.directURL(of: Self.photos[1])) { [weak self] _ in
            MainActor.assumeIsolated { self?.hasLoadedSecond = true }
        }
    }

    /// - Parameter halt: where the transition pauses until `resume()`, from 0 to 1; nil to let it run.
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

    /// Whether the transition is paused, or has ended because animations are turned off.
    var isHalted: Bool {
        clock?.isHalted == true || (view.runningTransition == nil && view.image != nil)
    }
}

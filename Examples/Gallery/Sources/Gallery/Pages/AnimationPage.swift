import KingfisherGTK

@MainActor final class AnimationPage: GalleryPage {
    let title = "Animation"
    let subtitle = "GIF, APNG and WebP, decoded frame by frame"
    let icon = "video-x-generic-symbolic"
    let widget: Widget
    private let players: [Player]
    private let watch = Watch()
    private var hasAppeared = false

    init(server: PhotoServer) {
        players = AnimationSample.all.map { Player($0, url: server.url(of: $0.photo, copy: "animation")) }
        widget = .scroller(Widget.tiles(players.map(\.tile.widget), columns: 1...3).styled("page"))
    }

    var action: PageAction { .loadAgain { [weak self] in self?.players.forEach { $0.load() } } }

    func appear() {
        guard !hasAppeared else { return }
        hasAppeared = true
        players.forEach { $0.load() }
        watch.start(while: widget, every: .milliseconds(50)) { [weak self] in
            self?.players.forEach { $0.refresh() }
        }
    }

    var scenes: [Scene] {
        [
            Scene(name: "animation") { [self] in
                try await wait(for: "animations") { try players.allSatisfy { try $0.hasPlayed } }
            }
        ]
    }
}

@MainActor private final class Player: AnimatedImageViewDelegate {
    private(set) var tile: Tile
    private let view: ImageView
    private let url: URL
    private let sample: AnimationSample
    private let status = Widget.label("", "caption", "numeric")
    private var button: Widget?
    private var loops: UInt = 0
    private var result: Result<RetrieveImageResult, KingfisherError>?

    private var animated: AnimatedImageView? { view as? AnimatedImageView }

    init(_ sample: AnimationSample, url: URL) {
        self.sample = sample
        self.url = url
        view = sample.makeView()
        tile = Tile(image: view, title: sample.title, code: sample.code, height: 150)
        view.contentMode = sample.contentMode
        tile.add(status)
        guard let animated else { return }
        animated.delegate = self
        button = tile.addButton(icon: "media-playback-pause-symbolic", tooltip: "Play or Pause") {
            animated.animates.toggle()
        }
    }

    func load() {
        loops = 0
        view.kf.setImage(with: url, options: sample.options) { [weak self] in self?.result = $0 }
    }

    func refresh() {
        guard let animated, let button else {
            return status.setText(
                view.image?.images == nil ? "1 frame" : "\(view.image?.images?.count ?? 0) frames in memory")
        }
        let frame = "Frame \((animated.animator?.currentFrameIndex ?? 0) + 1)"
        status.setText(loops == 0 ? frame : "\(frame) · played \(loops)×")
        gtk_button_set_icon_name(
            button.cast(),
            animated.animates ? "media-playback-pause-symbolic" : "media-playback-start-symbolic")
    }

    /// Whether the image is loaded and, if it plays automatically, has played once. Throws the load's error.
    var hasPlayed: Bool {
        get throws {
            guard try result?.get() != nil else { return false }
            guard let animated, animated.autoPlayAnimatedImage else { return true }
            return loops > 0
        }
    }

    func animatedImageView(_ imageView: AnimatedImageView, didPlayAnimationLoops count: UInt) {
        loops = count
    }
}

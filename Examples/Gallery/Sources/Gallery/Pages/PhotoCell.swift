import KingfisherGTK

@MainActor final class PhotoCell: ListCell {
    private static let fade: TimeInterval = 0.5

    let widget: Widget
    private let imageView = ImageView()
    private let placeholder: Image
    private let failure: Image
    private var haltingClock: HaltingClock?

    init(placeholder: Image, failure: Image) {
        self.placeholder = placeholder
        self.failure = failure
        imageView.contentMode = .scaleAspectFill
        imageView.kf.indicatorType = .activity
        widget = PhotoFrame.make(around: imageView.widget, width: 150, height: 112).styled("rounded")
    }

    /// Loads and shows the image at `url`.
    ///
    /// - Parameter halt: where the fade pauses until `resume()`, from 0 to 1; nil to let it run.
    func load(_ url: URL, haltingAt halt: Double? = nil) {
        self.url = url
        isSettled = false
        error = nil
        haltingClock = halt.map { HaltingClock(for: imageView, halt: $0 * Self.fade) }
        imageView.clock = haltingClock
        imageView.kf.setImage(
            with: url, placeholder: placeholder,
            options: [
                .processor(DownsamplingImageProcessor(size: CGSize(width: 320, height: 240))),
                .transition(.fade(Self.fade)),
                .onFailureImage(failure),
            ]
        ) { [weak self] result in
            // The new load ends the fade of the previous one, which then completes.
            guard let self, self.url == url else { return }
            if case .failure(let error) = result, error.isNotCurrentTask { return }
            if case .failure(let error) = result { self.error = error }
            isSettled = true
        }
    }

    var imageViews: [ImageView] { [imageView] }

    /// Whether a part of the cell is in the visible part of the list.
    var isSeen: Bool {
        guard let renderer = imageView.renderer, renderer.display.isVisible else { return false }
        return renderer.scrollPlace.map { $0.distance <= 0 } ?? true
    }

    func resume() {
        haltingClock?.resume()
    }

    /// Whether the image has loaded or failed, and no fade is running.
    private(set) var isSettled = false

    private(set) var error: KingfisherError?

    private(set) var url: URL?

    var isHalted: Bool { haltingClock?.isHalted == true }
}

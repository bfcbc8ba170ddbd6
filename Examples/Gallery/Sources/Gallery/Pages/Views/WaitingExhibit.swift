import KingfisherGTK

@MainActor final class WaitingExhibit: ViewExhibit {
    let tile: Tile
    private(set) var hasLoaded = false
    private let view = ImageView()
    private let photos: [Photo]
    private var loadCount = 0
    private let placeholder: (any Placeholder)?
    private let options: KingfisherOptionsInfo

    init(
        title: String, code: String, photos: Photo..., placeholder: (any Placeholder)? = nil,
        indicator: IndicatorType = .none, options: KingfisherOptionsInfo = []
    ) {
        tile = Tile(image: view, title: title, code: code)
        self.photos = photos
        self.placeholder = placeholder
        self.options = options + [.transition(.fade(0.4)), .forceTransition]
        view.kf.indicatorType = indicator
    }

    func load(from url: (Photo) -> URL) {
        hasLoaded = false
        let photo = photos[loadCount % photos.count]
        loadCount += 1
        view.kf.setImage(with: url(photo), placeholder: placeholder, options: options) { [weak self] in
            if case .success = $0 { self?.hasLoaded = true }
        }
    }
}

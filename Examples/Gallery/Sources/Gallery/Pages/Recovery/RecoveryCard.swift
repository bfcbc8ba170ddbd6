import KingfisherGTK

@MainActor final class RecoveryCard {
    let tile: Tile
    private(set) var hasEnded = false
    private let sample: RecoverySample
    private let number: Int
    private let server: PhotoServer
    private let placeholder: Image
    private let failure: Image
    private let view = ImageView()
    private let logLabel = Widget.paragraph("", "code")
    /// Part of each URL, so that the server's counters restart and the cache has no match.
    private var round = 0
    private var urls: [URL] = []
    private var log: AttemptLog?
    private var result: Result<RetrieveImageResult, KingfisherError>?

    init(_ sample: RecoverySample, number: Int, server: PhotoServer, placeholder: Image, failure: Image) {
        (self.sample, self.number, self.server) = (sample, number, server)
        (self.placeholder, self.failure) = (placeholder, failure)
        tile = Tile(image: view, title: sample.title, code: sample.code, height: 150)
        // The failure image must not be cropped.
        if !sample.succeeds { view.contentMode = .scaleAspectFit }
        view.kf.indicatorType = .activity
        tile.add(logLabel)
    }

    func load() {
        round += 1
        (hasEnded, result) = (false, nil)
        urls = sample.locations.map { location in
            switch location {
            case .fault(let fault): server.url(of: fault, copy: number + 1_000 * round)
            case .photo(let photo): server.directURL(of: photo, copy: "\(number)-\(round)")
            }
        }
        let log = AttemptLog { [weak self] in
            guard let self else { return }
            logLabel.setText(self.log?.text ?? "")
        }
        self.log = log
        var options: KingfisherOptionsInfo = [
            .requestModifier(log), .onFailureImage(failure), .transition(.fade(0.3)),
        ]
        if let strategy = sample.strategy { options.append(.retryStrategy(strategy)) }
        if urls.count > 1 { options.append(.alternativeSources(urls.dropFirst().map { .network($0) })) }
        view.kf.setImage(with: urls.first, placeholder: placeholder, options: options) { [weak self] result in
            guard let self, self.log === log else { return }
            switch result {
            case .success(let value): log.add("shown: \(value.source.url?.path ?? "")")
            case .failure(let error): log.add("failed: error \(error.errorCode)")
            }
            logLabel.setText(log.text)
            (self.result, hasEnded) = (result, true)
        }
    }

    func check() throws {
        guard let log, let result else { throw Failure("\(sample.title): not loaded") }
        let expected = zip(urls, sample.requests).flatMap { Array(repeating: $0.path, count: $1) }
        guard log.paths == expected else {
            throw Failure("\(sample.title): requested \(log.paths) instead of \(expected)")
        }
        let received = urls.map(server.requestCount)
        guard received == sample.requests else {
            throw Failure(
                "\(sample.title): the server received \(received) requests instead of \(sample.requests)")
        }
        guard log.seconds >= sample.wait else {
            throw Failure("\(sample.title): ended after \(log.seconds) s instead of \(sample.wait) s or more")
        }
        switch result {
        case .success(let value):
            guard sample.succeeds, value.source.url == urls.last, view.image === value.image else {
                throw Failure("\(sample.title): shows \(value.source.url?.path ?? "another image")")
            }
        case .failure(let error):
            guard !sample.succeeds, view.image === failure else { throw error }
        }
    }
}

import KingfisherGTK

/// A card with a load that needs more than one request, and the story of it.
@MainActor final class DetourCard {
    let tile: Tile
    private(set) var hasEnded = false
    private let sample: DetourSample
    private let number: Int
    private let server: PhotoServer
    private let placeholder: Image
    private let failure: Image
    private let view = ImageView()
    private let story = Widget.paragraph("", "code")
    /// Part of each address, so that a server that counts begins anew, and nothing is found in the cache.
    private var round = 0
    private var urls: [URL] = []
    private var log: AttemptLog?
    private var result: Result<RetrieveImageResult, KingfisherError>?

    init(_ sample: DetourSample, number: Int, server: PhotoServer, placeholder: Image, failure: Image) {
        (self.sample, self.number, self.server) = (sample, number, server)
        (self.placeholder, self.failure) = (placeholder, failure)
        tile = Tile(image: view, title: sample.title, code: sample.code, height: 150)
        // The sign of a failure is not an image to cover the frame, which would cut it.
        if !sample.succeeds { view.contentMode = .scaleAspectFit }
        view.kf.indicatorType = .activity
        tile.add(story)
    }

    func load() {
        round += 1
        (hasEnded, result) = (false, nil)
        urls = sample.places.map { place in
            switch place {
            case .fault(let fault): server.url(of: fault, copy: number + 1_000 * round)
            case .photo(let photo): server.directURL(of: photo, copy: "\(number)-\(round)")
            }
        }
        let log = AttemptLog { [weak self] in
            guard let self else { return }
            story.setText(self.log?.text ?? "")
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
            case .success(let value): log.note("shown: \(value.source.url?.path ?? "")")
            case .failure(let error): log.note("given up: error \(error.errorCode)")
            }
            story.setText(log.text)
            (self.result, hasEnded) = (result, true)
        }
    }

    /// Throws where the load took another way than it should.
    func check() throws {
        guard let log, let result else { throw Failure("\(sample.title): not loaded") }
        let expected = zip(urls, sample.requests).flatMap { Array(repeating: $0.path, count: $1) }
        guard log.paths == expected else {
            throw Failure("\(sample.title): asked for \(log.paths) instead of \(expected)")
        }
        let received = urls.map(server.requestCount)
        guard received == sample.requests else {
            throw Failure(
                "\(sample.title): the server saw \(received) requests instead of \(sample.requests)")
        }
        guard log.seconds >= sample.wait else {
            throw Failure("\(sample.title): ended after \(log.seconds) s, without its waits")
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

import KingfisherGTK

@MainActor final class PrefetchPage: GalleryPage {
    private static let concurrentDownloads = 3

    let title = "Prefetching"
    let subtitle = "Downloaded ahead, then shown from memory"
    let icon = "folder-download-symbolic"
    let widget: Widget
    private let server: PhotoServer
    private let completed = Figure("Downloaded")
    private let skipped = Figure("From Cache")
    private let failed = Figure("Failed")
    private let cells: [PrefetchCell]
    /// Part of each URL, so that "Prefetch Again" bypasses the cache.
    private var round = 0
    private var prefetcher: ImagePrefetcher?
    /// The numbers of images skipped, failed and fetched so far.
    private var progress = [0, 0, 0]
    /// The final numbers; nil until prefetching has ended.
    private var outcome: [Int]?

    init(server: PhotoServer) {
        self.server = server
        cells = Photo.all.prefix(12).map { PrefetchCell($0) }
        let figures = Widget.row(spacing: 12, completed.widget, skipped.widget, failed.widget)
        gtk_box_set_homogeneous(figures.cast(), 1)
        let content = Widget.column(spacing: 24).styled("page")
        content.append(figures)
        content.append(Widget.tiles(cells.map(\.tile.widget)))
        widget = .scroller(content)
    }

    var action: PageAction {
        PageAction(title: "Prefetch Again", icon: "folder-download-symbolic") { [weak self] in
            self?.prefetch()
        }
    }

    func appear() {
        if round == 0 { prefetch() }
    }

    private func prefetch() {
        round += 1
        outcome = nil
        prefetcher?.stop()
        let round = round
        for cell in cells { cell.wait(for: server.url(of: cell.photo, copy: "prefetch-\(round)")) }
        show([0, 0, 0])
        // A prefetcher uses the default cache unless told otherwise; views use the manager's.
        let manager = KingfisherManager.shared
        let prefetcher = ImagePrefetcher(
            urls: cells.compactMap(\.url),
            options: [.targetCache(manager.cache), .downloader(manager.downloader)],
            progressBlock: { [weak self] skipped, failed, completed in
                guard let self, self.round == round else { return }
                show([skipped.count, failed.count, completed.count])
            },
            completionHandler: { [weak self] skipped, failed, completed in
                guard let self, self.round == round else { return }
                outcome = [skipped.count, failed.count, completed.count]
                for cell in cells { cell.load() }
            })
        prefetcher.maxConcurrentDownloads = Self.concurrentDownloads
        self.prefetcher = prefetcher
        prefetcher.start()
    }

    private func show(_ counts: [Int]) {
        progress = counts
        for (figure, count) in zip([skipped, failed, completed], counts) {
            figure.show("\(count) of \(cells.count)")
        }
    }
}

extension PrefetchPage {
    var scenes: [Scene] {
        [
            Scene(name: "prefetching") { [self] in
                server.release()
                server.hold(share: 0.4)
                prefetch()
                try await wait(for: "the held images") {
                    let waiting = min(Self.concurrentDownloads, cells.count - progress.reduce(0, +))
                    return progress != [0, 0, 0] && waiting > 0 && server.heldCount == waiting
                }
            },
            Scene(name: "prefetched") { [self] in
                server.release()
                try await wait(for: "the end of prefetching") { outcome != nil }
                guard outcome == [0, 0, cells.count] else {
                    throw Failure("prefetching ended with (skipped, failed, downloaded) = \(outcome ?? [])")
                }
                for cell in cells { try cell.check(server) }
            },
        ]
    }
}

@MainActor private final class PrefetchCell {
    let photo: Photo
    let tile: Tile
    private(set) var url: URL?
    private let view = ImageView()
    private let state = Widget.label("", "caption")
    private var cacheType: CacheType?
    private var shown = ""

    init(_ photo: Photo) {
        self.photo = photo
        tile = Tile(image: view, title: photo.title, height: 110)
        tile.add(state)
    }

    func wait(for url: URL) {
        (self.url, cacheType) = (url, nil)
        view.kf.setImage(with: nil as Source?)
        setState("Not requested yet")
    }

    private func setState(_ text: String) {
        shown = text
        state.setText(text)
    }

    func load() {
        view.kf.setImage(with: url) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let value):
                cacheType = value.cacheType
                setState("From \(value.cacheType)")
            case .failure(let error): setState(error.localizedDescription)
            }
        }
    }

    /// Throws unless the image came from memory after exactly one request.
    func check(_ server: PhotoServer) throws {
        guard cacheType == .memory, view.image != nil else {
            throw Failure("\(photo.title): \(shown) instead of an image from memory")
        }
        guard let url, server.requestCount(of: url) == 1 else {
            throw Failure("\(photo.title) was not requested exactly once")
        }
    }
}

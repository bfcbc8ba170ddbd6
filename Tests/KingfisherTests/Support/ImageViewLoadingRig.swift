import Foundation
import Kingfisher
import KingfisherTestSupport
import TestHelpers
import Testing

/// A view without a renderer, and the bench that it loads from.
@MainActor struct ImageViewLoadingRig {
    typealias Outcome = Result<RetrieveImageResult, KingfisherError>

    struct Load: Sendable {
        let outcomes: Inbox<Outcome>
        let task: DownloadTask?

        /// The outcome. Returns after a second completion, if there were one, would have been delivered.
        @MainActor func result() async throws -> Outcome { try await outcomes.only() }
    }

    let view = ImageView()
    /// A second view.
    let other = ImageView()
    let bench: Bench

    init(_ bench: Bench) {
        self.bench = bench
    }

    init() throws {
        self.init(try Bench())
    }

    /// Directs a load to the cache and the downloader of the bench.
    var options: KingfisherOptionsInfo {
        [.downloader(bench.downloader), .targetCache(bench.cache)]
    }

    /// Loads `url` in `view`; the defaults are the URL of the bench and the view of the rig.
    func load(
        _ url: URL? = nil, in view: ImageView? = nil, placeholder: (any Placeholder)? = nil,
        _ extra: KingfisherOptionsInfo = [], progress: DownloadProgressBlock? = nil
    ) -> Load {
        load(.network(url ?? bench.url), in: view, placeholder: placeholder, extra, progress: progress)
    }

    func load(_ extra: KingfisherOptionsInfo) -> Load {
        load(nil as URL?, extra)
    }

    func load(
        _ source: Source?, in view: ImageView? = nil, placeholder: (any Placeholder)? = nil,
        _ extra: KingfisherOptionsInfo = [], progress: DownloadProgressBlock? = nil
    ) -> Load {
        let outcomes = Inbox<Outcome>()
        let task = (view ?? self.view).kf.setImage(
            with: source, placeholder: placeholder, options: options + extra, progressBlock: progress
        ) { outcomes.put($0) }
        return Load(outcomes: outcomes, task: task)
    }

    /// Stores the images of `urls` on disk only.
    func storeOnDisk(_ urls: URL..., options: KingfisherOptionsInfo = []) async throws {
        for url in urls { _ = try await bench.retrieve(url, options + [.waitForCache]).get() }
        bench.cache.clearMemoryCache()
    }

    /// Holds the stub, and returns when the load of `start` has started or joined a download.
    func hold(_ start: () -> Load) async -> Load {
        bench.stub.hold()
        let load = start()
        #expect(await poll { @Sendable in load.task?.isInitialized == true })
        return load
    }
}

/// A placeholder that counts how often it was added and removed.
@MainActor final class RecordingPlaceholder: Placeholder {
    private(set) var added = 0
    private(set) var removed = 0

    var isShown: Bool { added == removed + 1 }

    func add(to imageView: ImageView) { added += 1 }

    func remove(from imageView: ImageView) { removed += 1 }
}

extension Result where Success == RetrieveImageResult, Failure == KingfisherError {
    /// The payload of a superseded load; nil for any other outcome.
    var superseded: (result: RetrieveImageResult?, error: KingfisherError?, source: Source)? {
        guard
            case .failure(.imageSettingError(.notCurrentSourceTask(let result, let error, let source))) = self
        else { return nil }
        return (result, error as? KingfisherError, source)
    }
}

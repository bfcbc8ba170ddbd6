import Dispatch
import Foundation
import Kingfisher
import Synchronization

/// Downloads different URLs with `ImageDownloader`, some of them concurrently, without decoding.
struct Download: Workload {
    private let downloader = ImageDownloader(name: "benchmark")
    private let base: String
    private let count: Int
    private let concurrency: Int
    private let options = KingfisherParsedOptionsInfo([.processor(NoImage()), .callbackQueue(.untouch)])

    init(base: String, count: Int, concurrency: Int, authority: String?) throws {
        self.base = base
        self.count = count
        self.concurrency = concurrency
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = concurrency
        downloader.sessionConfiguration = configuration
        if let authority {
            downloader.tlsConfiguration.certificateAuthorities = [
                try Data(contentsOf: URL(fileURLWithPath: authority))
            ]
        }
    }

    func run() throws -> Int {
        let progress = Progress(base: base, count: count)
        let group = DispatchGroup()
        for _ in 0..<concurrency { group.enter() }
        for _ in 0..<concurrency { fetchNext(progress, group) }
        group.wait()
        guard progress.failures == 0 else { throw BenchmarkError("\(progress.failures) downloads failed") }
        return progress.bytes
    }

    /// Starts the next download, which starts another one at its end. Leaves the group after the last.
    private func fetchNext(_ progress: Progress, _ group: DispatchGroup) {
        guard let url = progress.nextURL() else { return group.leave() }
        downloader.downloadImage(with: url, options: options) { result in
            progress.note(result)
            fetchNext(progress, group)
        }
    }
}

/// The progress of a run. Thread-safe.
private final class Progress: Sendable {
    private struct State {
        var started = 0
        var bytes = 0
        var failures = 0
    }

    private let base: String
    private let count: Int
    private let state = Mutex(State())

    init(base: String, count: Int) {
        self.base = base
        self.count = count
    }

    var bytes: Int { state.withLock(\.bytes) }
    var failures: Int { state.withLock(\.failures) }

    func nextURL() -> URL? {
        let number = state.withLock { state in
            defer { state.started += 1 }
            return state.started
        }
        return number < count ? URL(string: "\(base)\(number)") : nil
    }

    func note(_ result: Result<ImageLoadingResult, KingfisherError>) {
        state.withLock { state in
            switch result {
            case .success(let loaded): state.bytes += loaded.originalData.count
            case .failure: state.failures += 1
            }
        }
    }
}

/// Returns an empty image without decoding.
struct NoImage: ImageProcessor {
    let identifier = "org.kingfisher.benchmarks.none"
    private let image = Image()

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> Image? { image }
}

import Dispatch
import Foundation
import Kingfisher

/// Loads one image into a new cache, through a manager, with retries: a thumbnail, and the original on disk.
struct BodyDownload: Workload {
    private let url: URL
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    private let cache: ImageCache
    private let manager: KingfisherManager

    init(url: String) throws {
        guard let url = URL(string: url) else { throw BenchmarkError("\(url) is not a URL") }
        self.url = url
        cache = try ImageCache(name: "bodies", cacheDirectoryURL: folder)
        cache.diskStorage.config.sizeLimit = 0
        let downloader = ImageDownloader(name: "bodies")
        downloader.maxBodyBytes = .max
        manager = KingfisherManager(downloader: downloader, cache: cache)
    }

    /// The bytes of the original in the cache.
    func run() throws -> Int {
        defer { try? FileManager.default.removeItem(at: folder) }
        let end = DispatchSemaphore(value: 0)  // The main thread has no other work.
        let found = Counter()
        manager.retrieveImage(
            with: url,
            options: [
                .processor(DownsamplingImageProcessor(size: CGSize(width: 100, height: 100))),
                .cacheOriginalImage, .waitForCache, .callbackQueue(.untouch),
                .retryStrategy(DelayRetryStrategy(maxRetryCount: 20, retryInterval: .seconds(0))),
            ]
        ) { result in
            if case .success = result { found.add() }
            end.signal()
        }
        end.wait()
        let bytes = try cache.diskStorage.value(forKey: url.absoluteString)?.count ?? 0
        guard found.value == 1, bytes > 0 else { throw BenchmarkError("\(url) failed") }
        return bytes
    }
}

import Foundation
import Kingfisher
import KingfisherTestSupport
import KingfisherTransport
import Synchronization
import TestHelpers
import Testing

/// A cache, a stubbed downloader and a manager that belong to one test.
struct Bench: Sendable {
    let folder: TemporaryFolder
    let cache: ImageCache
    let stub: StubTransport
    let downloader: ImageDownloader
    let manager: KingfisherManager

    init(_ answer: @escaping @Sendable (URLRequest) -> StubAnswer) throws {
        folder = try TemporaryFolder()
        cache = try ImageCache(name: "bench", cacheDirectoryURL: folder.url)
        // The time at which the scan ends is not deterministic. Tests of the name filter enable it.
        cache.diskStorage.config.filtersNames = false
        stub = StubTransport(answer)
        downloader = ImageDownloader(name: "bench", transport: stub)
        manager = KingfisherManager(downloader: downloader, cache: cache)
    }

    /// Responds to every URL with the same bytes.
    init(serving data: Data) throws {
        try self.init { _ in .ok(data) }
    }

    /// Responds with the PNG of `TestImages`.
    init() throws {
        try self.init(serving: try TestImages.png)
    }

    /// Responds with the PNG of `TestImages`, over tiers.
    init(over tiers: any CacheTier...) throws {
        try self.init()
        manager.tiers = tiers
    }

    /// Responds with the PNG of `TestImages`; the disk cache has `data` for `url`.
    init(caching data: Data) async throws {
        try self.init()
        try await cache.storeToDisk(data, forKey: url.cacheKey)
    }

    /// A URL that no other test uses.
    let url = Bench.freshURL()

    static func freshURL(_ extension: String = "png") -> URL {
        let number = lastNumber.withLock { last in
            last += 1
            return last
        }
        return URL(string: "http://stub.invalid/\(number).\(`extension`)") ?? URL(filePath: "/")
    }

    private static let lastNumber = Mutex(0)

    /// The files in the cache folder, including hidden files.
    var filesOnDisk: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: cache.diskStorage.directoryURL.path)) ?? []
    }

    func retrieve(
        _ url: URL? = nil, _ options: KingfisherOptionsInfo = []
    ) async throws -> Result<RetrieveImageResult, KingfisherError> {
        try await retrieve(.network(url ?? self.url), options)
    }

    func retrieve(
        _ source: Source, _ options: KingfisherOptionsInfo = []
    ) async throws -> Result<RetrieveImageResult, KingfisherError> {
        try await outcome { manager.retrieveImage(with: source, options: options, completionHandler: $0) }
    }
}

extension ImageCache {
    /// A cache in `folder` whose clocks the test advances.
    static func make(in folder: TemporaryFolder, clock: ManualClock) throws -> ImageCache {
        let memory = MemoryStorage.Backend<Image>(
            config: MemoryStorage.Config(totalCostLimit: 1 << 26), clock: clock)
        let disk = try DiskStorage.Backend<Data>(
            config: DiskStorage.Config(name: "clocked", sizeLimit: 0, directory: folder.url), clock: clock)
        disk.config.filtersNames = false
        return ImageCache(memoryStorage: memory, diskStorage: disk)
    }

    /// A cache in a new folder, and its clock.
    static func clocked() throws -> (TemporaryFolder, ManualClock, ImageCache) {
        let (folder, clock) = (try TemporaryFolder(), ManualClock())
        return (folder, clock, try make(in: folder, clock: clock))
    }

    /// Waits until all disk work that was queued before is done.
    func settle() async throws {
        _ = try await diskStorageSize
    }
}

/// The name of a failure's reason; nil for a success.
func reason<Success>(_ result: Result<Success, KingfisherError>) -> String? {
    if case .failure(let error) = result { error.reasonName } else { nil }
}

extension Result {
    var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}

extension URL {
    /// The part of this URL that identifies its events. It includes the host because several test servers may
    /// have a "/1.png".
    var eventText: String { (host ?? "") + (port.map { ":\($0)" } ?? "") + path }
}

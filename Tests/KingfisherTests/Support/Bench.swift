import Foundation
import Kingfisher
import KingfisherTestSupport
import KingfisherTransport
import Synchronization
import Testing

/// A cache, a downloader over a stub and a manager, all of one test alone.
struct Bench: Sendable {
    let folder: TemporaryFolder
    let cache: ImageCache
    let stub: StubTransport
    let downloader: ImageDownloader
    let manager: KingfisherManager

    init(_ answer: @escaping @Sendable (URLRequest) -> StubAnswer) throws {
        folder = try TemporaryFolder()
        cache = try ImageCache(name: "bench", cacheDirectoryURL: folder.url)
        // The scan ends at no certain moment. Tests of what it is good for turn it on.
        cache.diskStorage.config.filtersNames = false
        stub = StubTransport(answer)
        downloader = ImageDownloader(name: "bench", transport: stub)
        manager = KingfisherManager(downloader: downloader, cache: cache)
    }

    /// Every URL gives the same bytes.
    init(serving data: Data) throws {
        try self.init { _ in .ok(data) }
    }

    /// Serves the PNG of `Images`.
    init() throws {
        try self.init(serving: try TestImages.png)
    }

    /// A URL that nobody else uses.
    let url = Bench.freshURL()

    static func freshURL(_ extension: String = "png") -> URL {
        let number = lastNumber.withLock { last in
            last += 1
            return last
        }
        return URL(string: "http://stub.invalid/\(number).\(`extension`)") ?? URL(filePath: "/")
    }

    private static let lastNumber = Mutex(0)

    /// What the cache has on disk, hidden files included.
    var filesOnDisk: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: cache.diskStorage.directoryURL.path)) ?? []
    }

    /// Retrieves with the callback API.
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
    /// A cache in a folder of its own whose clocks the test moves.
    static func make(in folder: TemporaryFolder, clock: ManualClock) throws -> ImageCache {
        let memory = MemoryStorage.Backend<Image>(
            config: MemoryStorage.Config(totalCostLimit: 1 << 26), clock: clock)
        let disk = try DiskStorage.Backend<Data>(
            config: DiskStorage.Config(name: "clocked", sizeLimit: 0, directory: folder.url), clock: clock)
        disk.config.filtersNames = false
        return ImageCache(memoryStorage: memory, diskStorage: disk)
    }

    /// Waits until all disk work that was asked for before is done.
    func settle() async throws {
        _ = try await diskStorageSize
    }
}

/// The reason's name of a failure; nil for a success.
func reason<Success>(_ result: Result<Success, KingfisherError>) -> String? {
    if case .failure(let error) = result { error.reasonName } else { nil }
}

extension Result {
    /// The error of a failure.
    var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}

extension URL {
    /// What events about this URL contain, and those about no other: the host as well, because every server
    /// of a test may have a "/1.png".
    var eventText: String { (host ?? "") + (port.map { ":\($0)" } ?? "") + path }
}

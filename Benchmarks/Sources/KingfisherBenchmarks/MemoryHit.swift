import CAllocations
import Foundation
import Kingfisher

/// Memory hits through a manager with callbacks, as in a view: each completes on the calling thread before
/// the call returns.
final class MemoryHit: Workload {
    static let hitsPerRun = 10_000

    private let keys = MemoryKeys()
    private let urls: [URL]
    private let manager: KingfisherManager

    init() throws {
        urls = try keys.requested.prefix(Self.hitsPerRun).map { key in
            guard let url = URL(string: key) else { throw BenchmarkError("\(key) is not a URL") }
            return url
        }
        let memory = MemoryStorage.Backend<Image>(
            config: MemoryStorage.Config(totalCostLimit: 1 << 30, cleanInterval: 120))
        let disk = try DiskStorage.Backend<Data>(
            config: DiskStorage.Config(
                name: "memory-hit", sizeLimit: 0, directory: FileManager.default.temporaryDirectory))
        for key in keys.stored { memory.store(value: try MemoryKeys.image(), forKey: key) }
        manager = KingfisherManager(
            downloader: ImageDownloader(name: "memory-hit"),
            cache: ImageCache(memoryStorage: memory, diskStorage: disk))
    }

    func run() throws -> Int {
        let found = Counter()
        for url in urls {
            manager.retrieveImage(with: url) { result in
                if case .success(let hit) = result, hit.cacheType == .memory { found.add() }
            }
        }
        guard found.value == urls.count else { throw BenchmarkError("\(found.value) found") }
        return found.value
    }

    /// Allocations of one hit on the calling thread.
    func count() throws -> Int {
        // The first run may allocate permanent objects.
        _ = try run()
        let before = kf_allocations()
        _ = try run()
        // The allocations of `run` itself are divided among all hits.
        return Int((Double(kf_allocations() - before) / Double(urls.count)).rounded())
    }
}

import Dispatch
import Foundation
import Kingfisher

/// The memory of a program that has loaded 1,000 thumbnails of 300 pixels at the same time and holds them in
/// the memory cache.
final class HeldImages: Workload {
    private let data: Data
    private let manager: KingfisherManager
    private let processor = DownsamplingImageProcessor(size: CGSize(width: 300, height: 300))
    private let pixels = Counter()
    /// The memory of the process in kilobytes and the bytes of pixels before `run`.
    private var before = (memory: 0, pixels: 0)

    init(path: String) throws {
        data = try Data(contentsOf: URL(fileURLWithPath: path))
        let cache = ImageCache(name: "held-images")
        cache.memoryStorage.config.totalCostLimit = 1 << 30
        manager = KingfisherManager(downloader: ImageDownloader(name: "held-images"), cache: cache)
        // Code, threads and tables are no part of an image.
        try load(0..<10)
        before = (try Worker.status("VmRSS:"), pixels.value)
    }

    func run() throws -> Int {
        try load(10..<1_010)
        return 1_000
    }

    private func load(_ numbers: Range<Int>) throws {
        let group = DispatchGroup()
        for number in numbers {
            group.enter()
            manager.retrieveImage(
                with: .provider(RawImageDataProvider(data: data, cacheKey: "\(number)")),
                options: [.processor(processor), .cacheMemoryOnly, .callbackQueue(.untouch)]
            ) { [pixels] result in
                if let image = (try? result.get())?.image.pixels {
                    pixels.add(image.width * image.height * image.format.bytesPerPixel)
                }
                group.leave()
            }
        }
        group.wait()
        guard numbers.allSatisfy({ isHeld($0) }) else { throw BenchmarkError("not held") }
    }

    private func isHeld(_ number: Int) -> Bool {
        manager.cache.memoryStorage.isCached(forKey: "\(number)@\(processor.identifier)")
    }

    /// The growth of the memory during `run`, in thousandths of the pixels.
    func count() throws -> Int {
        (try Worker.status("VmRSS:") - before.memory) * 1024 * 1000 / (pixels.value - before.pixels)
    }
}

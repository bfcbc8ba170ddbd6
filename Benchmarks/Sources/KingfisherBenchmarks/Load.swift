import Dispatch
import Foundation
import Kingfisher
import Synchronization

/// Loads through a manager, one after another, and the same parts called directly, to measure the overhead of
/// the manager.
struct Load: Workload {
    enum Job: String {
        /// From a server, with nothing cached, to memory and disk.
        case cold = "load-cold"
        /// Download, process, store in memory, encode, store on disk.
        case coldParts = "load-cold-parts"
        /// From the file of the original on disk to memory.
        case disk = "load-disk"
        /// Read the file, process, store in memory.
        case diskParts = "load-disk-parts"
        /// From the file of the processed image on disk to memory.
        case hit = "load-disk-hit"
        /// Read the file, decode it, store in memory.
        case hitParts = "load-disk-hit-parts"
    }

    static let loads = 100

    private let job: Job
    private let port: String
    private let cache: ImageCache
    private let manager: KingfisherManager
    private let processor = DownsamplingImageProcessor(size: CGSize(width: 100, height: 75))
    private let lastNumber = Counter()

    init(_ job: Job, port: String) throws {
        self.job = job
        self.port = port
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        cache = try ImageCache(name: "load", cacheDirectoryURL: folder)
        manager = KingfisherManager(downloader: ImageDownloader(name: "load"), cache: cache)
        // Waits for the scan of the folder.
        usleep(200_000)
        switch job {
        case .cold, .coldParts: break
        case .disk, .diskParts:
            for number in 0..<Self.loads {
                let url = try url(number)
                try cache.diskStorage.store(value: try Data(contentsOf: url), forKey: url.absoluteString)
            }
        case .hit, .hitParts: for number in 0..<Self.loads { try load(url(number)) }
        }
    }

    private func url(_ number: Int) throws -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)/\(number).jpg") else {
            throw BenchmarkError("\(port) is not a port")
        }
        return url
    }

    func prepare() { cache.clearMemoryCache() }

    func run() throws -> Int {
        for number in 0..<Self.loads {
            switch job {
            case .cold: try load(nextURL())
            case .coldParts: try loadByHand(nextURL())
            case .disk: try load(url(number), [.cacheMemoryOnly])
            case .diskParts: try processByHand(url(number))
            case .hit: try load(url(number))
            case .hitParts: try readByHand(url(number))
            }
        }
        return Self.loads
    }

    private func nextURL() throws -> URL {
        lastNumber.add()
        return try url(lastNumber.value)
    }

    private func load(_ url: URL, _ options: KingfisherOptionsInfo = []) throws {
        let end = DispatchSemaphore(value: 0)  // One load after another, on the main thread.
        let found = Counter()
        manager.retrieveImage(
            with: url, options: [.processor(processor), .callbackQueue(.untouch), .waitForCache] + options
        ) { result in
            if case .success = result { found.add() }
            end.signal()
        }
        end.wait()
        guard found.value == 1 else { throw BenchmarkError("\(url) failed") }
    }

    private var key: (URL) -> String {
        { [processor] url in "\(url.absoluteString)@\(processor.identifier)" }
    }

    private func loadByHand(_ url: URL) throws {
        let options = KingfisherParsedOptionsInfo([.processor(NoImage()), .callbackQueue(.untouch)])
        let end = DispatchSemaphore(value: 0)  // One load after another, on the main thread.
        let bytes = Mutex<Data?>(nil)
        manager.downloader.downloadImage(with: url, options: options) { result in
            bytes.withLock { $0 = try? result.get().originalData }
            end.signal()
        }
        end.wait()
        guard let data = bytes.withLock({ $0 }),
            let image = processor.process(item: .data(data), options: KingfisherParsedOptionsInfo(nil)),
            let file = DefaultCacheSerializer.default.data(with: image, original: data)
        else { throw BenchmarkError("\(url) failed") }
        cache.memoryStorage.store(value: image, forKey: key(url))
        try cache.diskStorage.store(value: file, forKey: key(url))
    }

    private func processByHand(_ url: URL) throws {
        guard let file = try cache.diskStorage.value(forKey: url.absoluteString),
            let image = processor.process(item: .data(file), options: KingfisherParsedOptionsInfo(nil))
        else { throw BenchmarkError("\(url) is not on disk") }
        cache.memoryStorage.store(value: image, forKey: key(url))
    }

    private func readByHand(_ url: URL) throws {
        let options = KingfisherParsedOptionsInfo([.processor(processor)])
        guard let file = try cache.diskStorage.value(forKey: key(url)),
            let image = DefaultCacheSerializer.default.image(with: file, options: options)
        else { throw BenchmarkError("\(url) is not on disk") }
        cache.memoryStorage.store(value: image, forKey: key(url))
    }
}

import KingfisherGTK

/// Where the image is when a load starts.
enum ImageOrigin: String {
    /// In the memory cache, processed.
    case memory
    /// In the disk cache, as the original file.
    case disk
    /// On a server, at a URL that was not requested before.
    case network
}

/// A load as programs make it: with a processor, otherwise with the default options.
@MainActor final class ImageLoad {
    private let origin: ImageOrigin
    /// The base of URLs that all return the image.
    private let base: URL
    private let processor: DownsamplingImageProcessor
    private let manager = KingfisherManager.shared
    private var number = 0

    /// - Parameter place: the file; for the network, the base of URLs that all return it.
    init(from origin: ImageOrigin, at place: String, cachingIn folder: URL, side: Int) throws {
        guard let base = URL(string: origin == .network ? place : "http://127.0.0.1/") else {
            throw FirstPixelsError("\(place) is not a URL")
        }
        (self.origin, self.base) = (origin, base)
        processor = DownsamplingImageProcessor(size: CGSize(width: side, height: side))
        manager.cache = try ImageCache(name: "first-pixels", cacheDirectoryURL: folder)
        guard origin != .network else { return }
        try manager.cache.diskStorage.store(
            value: try Data(contentsOf: URL(filePath: place)), forKey: url.cacheKey)
    }

    private var url: URL { base.appending(path: "\(number).jpg") }

    /// Restores the state before the load.
    func prepare() async throws {
        let cache = manager.cache
        switch origin {
        case .memory:
            // The first call stores the image.
            _ = try await manager.retrieveImage(with: url, options: [.processor(processor)])
        case .disk:
            // The original stays on disk.
            try await cache.removeImage(forKey: url.cacheKey, processorIdentifier: processor.identifier)
        case .network:
            cache.clearMemoryCache()
            number += 1
        }
    }

    /// Starts the load; `completion` runs when `view` has the image.
    func start(in view: ImageView, completion: @escaping @MainActor (KingfisherError?) -> Void) {
        view.kf.setImage(with: url, options: [.processor(processor)]) { result in
            if case .failure(let error) = result { completion(error) } else { completion(nil) }
        }
    }
}

import Foundation
import Kingfisher

/// 1,000 concurrent requests for 100 images of a server, with nothing cached.
struct Coalescing: Workload {
    static let requests = 1_000
    static let images = 100

    private let port: String
    /// Whether each request has a separate downloader and cache.
    private let isSeparate: Bool

    init(port: String, isSeparate: Bool) {
        self.port = port
        self.isSeparate = isSeparate
    }

    func run() throws -> Int {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let decoder = CountingDecoder()
        let found = isSeparate ? try separately(folder, decoder) : try together(folder, decoder)
        let decodings = isSeparate ? Self.requests : Self.images
        guard found == Self.requests else {
            throw BenchmarkError("loaded \(found) images instead of \(Self.requests)")
        }
        guard decoder.count.value == decodings else {
            throw BenchmarkError("\(decoder.count.value) decodes instead of \(decodings)")
        }
        return found
    }

    private func manager(_ name: String, _ folder: URL) throws -> KingfisherManager {
        KingfisherManager(
            downloader: ImageDownloader(name: name),
            cache: try ImageCache(name: name, cacheDirectoryURL: folder))
    }

    private func together(_ folder: URL, _ decoder: CountingDecoder) throws -> Int {
        let manager = try manager("shared", folder)
        return try load(0..<Self.requests, decoder) { _ in manager }
    }

    /// 16 at a time.
    private func separately(_ folder: URL, _ decoder: CountingDecoder) throws -> Int {
        try stride(from: 0, to: Self.requests, by: 16).reduce(0) { found, first in
            let numbers = first..<min(first + 16, Self.requests)
            return try found + load(numbers, decoder) { try manager("separate-\($0)", folder) }
        }
    }

    /// Returns the number of loaded images.
    private func load(
        _ numbers: Range<Int>, _ decoder: CountingDecoder, with manager: (Int) throws -> KingfisherManager
    ) throws -> Int {
        let (found, group) = (Counter(), DispatchGroup())
        for number in numbers {
            guard let url = URL(string: "http://127.0.0.1:\(port)/\(number % Self.images).jpg") else {
                throw BenchmarkError("\(port) is not a port")
            }
            group.enter()
            try manager(number).retrieveImage(
                with: url, options: [.processor(decoder), .callbackQueue(.untouch), .waitForCache]
            ) { result in
                if case .success = result { found.add() }
                group.leave()
            }
        }
        guard group.wait(timeout: .now() + 60) == .success else {
            throw BenchmarkError("requests did not complete within 60 s")
        }
        return found.value
    }
}

/// The default processor, which also counts its decodes.
private struct CountingDecoder: ImageProcessor {
    let identifier = ""
    let count = Counter()

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> Image? {
        count.add()
        return DefaultImageProcessor.default.process(item: item, options: options)
    }
}

import Foundation
import Glibc
import Kingfisher

/// Removes 1 % of many files by a tag, from a disk whose attributes are not in the kernel's cache.
struct TagRemoval {
    /// The limit in seconds for a million files.
    private static let limit = 15.0

    /// Stores `count` files and removes those with the tag. Returns false if it takes too long or removes
    /// other files.
    func run(_ count: Int) async throws -> Bool {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "kingfisher-soak-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let cache = try ImageCache(name: "soak", cacheDirectoryURL: folder)
        cache.memoryStorage.config.totalCostLimit = 1
        cache.diskStorage.config.sizeLimit = 0
        let pixels = try PixelBuffer(width: 1, height: 1, format: .rgba8Opaque, zeroed: true) { _, _ in }
        for first in stride(from: 0, to: count, by: 1_000) {
            await withTaskGroup { group in
                for number in first..<min(first + 1_000, count) {
                    group.addTask { await store(Image(pixels: pixels), number, in: cache) }
                }
            }
        }
        sync()
        let isCold = (try? Data("3".utf8).write(to: URL(filePath: "/proc/sys/vm/drop_caches"))) != nil
        let start = ContinuousClock.now
        let removed = try await cache.removeImages(tagged: ["red"])
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        print(
            "soak: \(removed) of \(count) files removed by a tag in \(seconds) s, "
                + (isCold ? "from a cold disk" : "attributes in memory"))
        return removed == (count + 99) / 100 && seconds <= Self.limit
    }

    private func store(_ image: Image, _ number: Int, in cache: ImageCache) async {
        let options = KingfisherParsedOptionsInfo([.tags([number % 100 == 0 ? "red" : "blue"])])
        await withCheckedContinuation { continuation in
            cache.store(image, forKey: "https://example.com/\(number)", options: options) { _ in
                continuation.resume()
            }
        }
    }
}

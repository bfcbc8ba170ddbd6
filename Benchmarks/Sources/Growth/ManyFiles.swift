import Foundation
import Kingfisher
import KingfisherTestSupport

/// A disk cache of `count` small files, which the job `store` makes.
@MainActor struct ManyFiles {
    enum Job: String {
        case store
        /// Opens the cache and reads one image, while the scan of the folder begins.
        case start
        /// Opens the cache and waits for the end of that scan.
        case scan
        /// 1,000 reads of different files, and the writes of their access times.
        case hit
        /// 1,000 reads of keys without a file.
        case miss
        /// Looks for expired files; there are none.
        case expired
        /// Removes the least recently used half of the files.
        case exceeded
    }

    private static let requests = 1_000
    /// Prime, so that its multiples are different files of a power of ten.
    private static let step = 611_953

    private let folder: URL
    private let count: Int

    init(_ folder: URL, _ count: Int) {
        (self.folder, self.count) = (folder, count)
    }

    func cost(_ job: Job) async throws -> Cost {
        switch job {
        case .store: return try await store()
        case .start: return try await Cost.of { try await start() }
        case .scan: return try await Cost.of(scanned)
        case .hit, .miss: return try await read(job)
        case .expired, .exceeded: return try await sweep(job)
        }
    }

    private func key(_ number: Int) -> String { "https://images.example.org/albums/\(number).png" }

    private func open() throws -> ImageCache { try ImageCache(name: "growth", cacheDirectoryURL: folder) }

    private func store() async throws -> Cost {
        let (storage, data) = (try open().diskStorage, try smallFile())
        return try await Cost.of {
            for number in 0..<count { try storage.store(value: data, forKey: key(number)) }
        }
    }

    private func start() async throws -> ImageCache {
        let cache = try open()
        guard try await cache.retrieveImage(forKey: key(count / 2)).image != nil else {
            throw Failure(description: "not found")
        }
        return cache
    }

    private func scanned() async throws -> ImageCache {
        let cache = try open()
        while cache.diskCacheStatistics().entries < count { try await Task.sleep(for: .milliseconds(1)) }
        return cache
    }

    private func read(_ job: Job) async throws -> Cost {
        let storage = try await scanned().diskStorage
        return try await Cost.of {
            for request in 0..<Self.requests {
                let number = job == .hit ? request * Self.step % count : count + request
                guard try (storage.value(forKey: key(number)) != nil) == (job == .hit) else {
                    throw Failure(description: "a wrong result for file \(number)")
                }
            }
            // Access times are written every second.
            try await Task.sleep(for: .milliseconds(1_500))
        }
    }

    private func sweep(_ job: Job) async throws -> Cost {
        let storage = try await scanned().diskStorage
        storage.config.sizeLimit = try storage.totalSize()
        return try await Cost.of {
            let isExpired = job == .expired
            let removed = try isExpired ? storage.removeExpiredValues() : storage.removeSizeExceededValues()
            guard removed.count == (isExpired ? 0 : count / 2) else {
                throw Failure(description: "\(removed.count) files removed")
            }
            return removed
        }
    }
}

/// A PNG of about 1 KB.
func smallFile() throws -> Data {
    let pixels = try PixelBuffer(width: 16, height: 16, format: .rgba8Opaque) { rows, _ in
        var random = SeededGenerator(seed: 7)
        for index in rows.indices { rows[index] = .random(in: 0...255, using: &random) }
    }
    guard let data = Image(pixels: pixels).pngData() else { throw Failure(description: "not encoded") }
    return data
}

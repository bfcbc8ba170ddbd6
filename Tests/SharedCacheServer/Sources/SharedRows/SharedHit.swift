import Foundation
import Kingfisher
import KingfisherSharedCache

/// Thumbnails of a photograph, each under another key, through a manager with empty caches.
struct SharedHit {
    private static let count = 20

    private let port: Int
    private let file: Data

    init(port: Int, file: String) throws {
        self.port = port
        self.file = try Data(contentsOf: URL(fileURLWithPath: file))
    }

    /// Makes the thumbnails on another machine, and waits until the engine has them.
    func share() async throws {
        let client = try SharedRows.client(port: port)
        _ = try await client.send(RedisCommand("FLUSHALL"))
        _ = try await cpu(expecting: .none, tiers: [tier(client)])
        let end = ContinuousClock.now + .seconds(20)
        while try await client.send(RedisCommand("DBSIZE")) != .integer(Int64(Self.count)) {
            guard ContinuousClock.now < end else { throw CocoaError(.fileWriteUnknown) }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    func hit() async throws -> Int {
        try await cpu(expecting: .disk, tiers: [tier(SharedRows.client(port: port))])
    }

    func build() async throws -> Int { try await cpu(expecting: .none, tiers: []) }

    private func tier(_ client: NIORedisClient) -> RedisTier {
        var options = RedisTierOptions()
        options.earlyRenewal = 0
        return RedisTier(client: client, options: options)
    }

    /// The CPU time of the loads on a new machine, which must get them from the tier, or make them.
    private func cpu(expecting type: CacheType, tiers: [any CacheTier]) async throws -> Int {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let cache = try ImageCache(name: "row", cacheDirectoryURL: folder)
        let manager = KingfisherManager(downloader: .default, cache: cache)
        manager.tiers = tiers
        var serializer = DefaultCacheSerializer()
        serializer.compressionQuality = 0.85
        let start = SharedRows.cpu()
        for number in 0..<Self.count {
            let provider = RawImageDataProvider(data: file, cacheKey: "image \(number)")
            let result = try await manager.retrieveImage(
                with: .provider(provider),
                options: [
                    .processor(DownsamplingImageProcessor(size: CGSize(width: 300, height: 225))),
                    .cacheSerializer(serializer), .waitForCache,
                ])
            guard result.cacheType == type else { throw CocoaError(.fileReadUnknown) }
        }
        return SharedRows.cpu() - start
    }
}

import Foundation
import Kingfisher
import KingfisherSharedCache
import KingfisherTestSupport
import Synchronization
import Testing

/// Managers with separate caches, as on several machines, over one engine.
@Suite(.timeLimit(.minutes(1)))
struct SharedManagerTests {
    private final class Builds: Sendable {
        let keys = Mutex<[String]>([])
    }

    /// An image that takes 50 ms to make.
    private struct SlowProvider: ImageDataProvider {
        let cacheKey: String
        let file: Data
        let builds: Builds

        func data(handler: @Sendable @escaping (Result<Data, any Error>) -> Void) {
            builds.keys.withLock { $0.append(cacheKey) }
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { handler(.success(file)) }
        }
    }

    /// Removed at exit, because a cache may write after its test has ended.
    private static let folder: URL = {
        atexit { try? FileManager.default.removeItem(at: folder) }
        return FileManager.default.temporaryDirectory.appending(path: "kf-machines-\(UUID().uuidString)")
    }()

    private func machine(_ client: any RedisClient) throws -> KingfisherManager {
        let cache = try ImageCache(
            name: "machine", cacheDirectoryURL: Self.folder.appending(path: UUID().uuidString))
        let manager = KingfisherManager(downloader: .default, cache: cache)
        var options = RedisTierOptions()
        // Other tests run at the same time.
        options.deadlines.read = .seconds(5)
        manager.tiers = [RedisTier(client: client, options: options)]
        return manager
    }

    @Test("Of four machines that request the same images at the same time, one makes each")
    func oneBuilder() async throws {
        let server = try await RedisServer()
        let file = try Fixtures.data(named: "PNG/rgba8.png")
        let builds = Builds()
        let processor = DownsamplingImageProcessor(size: CGSize(width: 10, height: 10))
        let managers = try (0..<4).map { _ in try machine(server.client()) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<5 {
                for manager in managers {
                    group.addTask {
                        let provider = SlowProvider(cacheKey: "image \(number)", file: file, builds: builds)
                        _ = try await manager.retrieveImage(
                            with: .provider(provider), options: [.processor(processor)])
                    }
                }
            }
            try await group.waitForAll()
        }
        let keys = builds.keys.withLock { $0 }
        #expect(Set(keys).count == 5)
        // 20 without leases. On a busy machine, a wait of 775 ms may end before the image is made.
        #expect(keys.count <= 10)
    }

    @Test("Requests succeed while the engine is down")
    func dead() async throws {
        let server = try await RedisServer()
        let builds = Builds()
        let manager = try machine(server.client())
        server.stop()
        let file = try Fixtures.data(named: "PNG/rgba8.png")
        for number in 0..<10 {
            let provider = SlowProvider(cacheKey: "image \(number)", file: file, builds: builds)
            _ = try await manager.retrieveImage(with: .provider(provider))
        }
        #expect(builds.keys.withLock(\.count) == 10)
    }

    @Test("A tier works on another client: the example of 50 lines")
    func otherClient() async throws {
        let server = try await RedisServer()
        let client = try #require(SerialRedisClient(descriptor: try server.connect()))
        let tier = RedisTier(client: client)
        let key = TierKey(cacheKey: "https://example.com/a.png")
        guard case .absent(let lease?) = try await tier.read(key), case .busy = try await tier.read(key)
        else {
            Issue.record("expected one lease")
            return
        }
        let entry = TierEntry(data: Data(count: 100_000), tags: ["a"])
        try await tier.write(entry, for: key, lease: lease)
        guard case .hit(let found) = try await tier.read(key) else {
            Issue.record("expected a hit")
            return
        }
        #expect(found.data == entry.data && found.tags == ["a"])
        try await tier.invalidate(tag: "a")
        guard case .absent = try await tier.read(key) else {
            Issue.record("expected an invalid entry")
            return
        }
    }
}

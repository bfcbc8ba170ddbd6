import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// A look at the caches for a file, which loads nothing.
struct CachedDataTests {
    private let options: KingfisherOptionsInfo = [.processor(CountingProcessor("p")), .waitForCache]

    @Test("A file in memory or on disk is delivered and reported; otherwise nothing happens")
    func places() async throws {
        let bench = try Bench()
        let source = Source.network(bench.url)
        func look() async -> RetrieveDataResult? {
            await bench.manager.cachedData(with: source, options: options)
        }
        let missed = EventCollector(of: bench.url)
        #expect(await look() == nil)
        #expect(missed.events.values.isEmpty && bench.stub.requests.isEmpty)
        let made = try await bench.manager.retrieveData(with: source, options: options)
        let found = EventCollector(of: bench.url)
        let inMemory = await look()
        #expect(inMemory?.cacheType == .memory && inMemory?.data == made.data)
        bench.cache.clearMemoryCache()
        let onDisk = await look()
        #expect(onDisk?.cacheType == .disk && onDisk?.data == made.data)
        let hit = ["request.began", "request.finished"]
        #expect(found.events.values.map(\.name) == hit + hit)
        #expect(await bench.manager.cachedData(with: source, options: options + [.forceRefresh]) == nil)
        #expect(bench.stub.requests.count == 1)
    }

    @Test("A stale file is not delivered, and stays for its revalidation", arguments: [true, false])
    func stale(isInMemory: Bool) async throws {
        let rig = try FreshnessRig()
        let (source, options) = (
            Source.network(rig.url), [.httpCaching, .waitForCache] as KingfisherOptionsInfo
        )
        func look() async -> CacheType? {
            if !isInMemory { rig.cache.clearMemoryCache() }
            return await rig.manager.cachedData(with: source, options: options)?.cacheType
        }
        _ = try await rig.manager.retrieveData(with: source, options: options)
        #expect(await look() == (isInMemory ? .memory : .disk))
        await rig.settle()
        rig.clock.advance(by: 100)
        #expect(await look() == nil)
        #expect(rig.askedTags == [nil])
        #expect(try await rig.manager.retrieveData(with: source, options: options).cacheType.cached)
        #expect(rig.askedTags == [nil, "\"1\""])
    }

    @Test("A file whose write is pending is delivered after it")
    func pending() async throws {
        let bench = try Bench()
        let source = Source.network(bench.url)
        let own = options.dropLast()
        let made = try await bench.manager.retrieveData(with: source, options: Array(own))
        #expect(await bench.manager.cachedData(with: source, options: options)?.data == made.data)
    }
}

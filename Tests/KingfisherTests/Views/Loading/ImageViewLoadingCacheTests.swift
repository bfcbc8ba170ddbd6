import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing
import TestHelpers

@Suite @MainActor struct ImageViewLoadingCacheTests {
    private func catRig() throws -> ImageViewLoadingRig {
        ImageViewLoadingRig(try Bench(serving: Fixtures.data(named: "Photos/cat.gif")))
    }

    @Test("An image view loads all frames of an animation", .behaviours("V-9"))
    func allFrames() async throws {
        let rig = try catRig()
        _ = try await rig.load().result().get()
        #expect(rig.view.image?.images?.count == 8)
    }

    @Test(
        "All frames are loaded without a request after a load of the first frame filled the cache",
        .behaviours("V-9"),
        arguments: [CacheType.memory, .disk])
    func allFramesAfterFirst(type: CacheType) async throws {
        let rig = try catRig()
        let first = try await rig.bench.retrieve(nil, [.onlyLoadFirstFrame, .waitForCache]).get().image
        #expect(first.images == nil)
        if type == .disk { rig.bench.cache.clearMemoryCache() }
        #expect(try await rig.load().result().get().cacheType == type)
        #expect(rig.view.image?.images?.count == 8)
        #expect(rig.bench.stub.requests.count == 1)
    }

    @Test("A load of the first frame after a full load shows only the first frame", .behaviours("V-9"))
    func firstFrameAfterAll() async throws {
        let rig = try catRig()
        _ = try await rig.load().result().get()
        let result = try await rig.load([.onlyLoadFirstFrame]).result().get()
        #expect(rig.view.image === result.image && result.image.images == nil)
        #expect(rig.bench.stub.requests.count == 1)
    }

    @Test(
        "A disk entry of 2 s read after 1 s lives longer only if the read extends it",
        .behaviours("V-11"))
    func diskExtending() async throws {
        for (extending, lives) in [(ExpirationExtending.cacheTime, true), (.none, false)] {
            let (rig, folder, clock) = (try ImageViewLoadingRig(), try TemporaryFolder(), ManualClock())
            let cache = try ImageCache.make(in: folder, clock: clock)
            let options: KingfisherOptionsInfo = [
                .targetCache(cache), .diskCacheExpiration(.seconds(2)), .waitForCache,
                .diskCacheAccessExtendingExpiration(extending),
            ]
            _ = try await rig.load(options).result().get()
            cache.clearMemoryCache()
            clock.advance(by: 1)
            #expect(try await rig.load(options).result().get().cacheType == .disk)
            cache.clearMemoryCache()
            try await cache.settle()
            clock.advance(by: 1.5)
            #expect(cache.isCached(forKey: rig.bench.url.cacheKey) == lives)
        }
    }

    @Test("A memory entry lives longer only if the read extends it", .behaviours("V-11"))
    func memoryExtending() async throws {
        for (extending, lives) in [(ExpirationExtending.expirationTime(.seconds(200)), true), (.none, false)]
        {
            let (rig, folder, clock) = (try ImageViewLoadingRig(), try TemporaryFolder(), ManualClock())
            let cache = try ImageCache.make(in: folder, clock: clock)
            let options: KingfisherOptionsInfo = [
                .targetCache(cache), .memoryCacheExpiration(.seconds(100)), .cacheMemoryOnly,
                .memoryCacheAccessExtendingExpiration(extending),
            ]
            _ = try await rig.load(options).result().get()
            clock.advance(by: 50)
            #expect(try await rig.load(options).result().get().cacheType == .memory)
            clock.advance(by: 150)
            #expect(cache.isCached(forKey: rig.bench.url.cacheKey) == lives)
        }
    }

    @Test("Target caches are independent, and the default cache stays empty", .behaviours("V-13"))
    func targetCaches() async throws {
        let (rig, other) = (try ImageViewLoadingRig(), try Bench())
        let key = rig.bench.url.cacheKey
        _ = try await rig.load([.waitForCache]).result().get()
        #expect(rig.bench.cache.isCached(forKey: key) && !other.cache.isCached(forKey: key))
        let result = try await rig.load(in: rig.other, [.targetCache(other.cache), .waitForCache]).result()
        #expect(try result.get().cacheType == .none)
        #expect(other.cache.isCached(forKey: key) && !ImageCache.default.isCached(forKey: key))
        rig.bench.cache.clearMemoryCache()
        #expect(other.cache.imageCachedType(forKey: key) == .memory)
        #expect(rig.bench.stub.requests.count == 2)
    }
}

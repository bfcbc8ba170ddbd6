import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// Images that a view shows are found after memory has evicted them.
@Suite @MainActor struct DisplayedImagesTests {
    let rig: ImageViewLoadingRig
    var cache: ImageCache { rig.bench.cache }
    var key: String { rig.bench.url.cacheKey }

    init() throws { rig = try ImageViewLoadingRig() }

    private func show(_ extra: KingfisherOptionsInfo = []) async throws -> Image {
        try await rig.load([.cacheMemoryOnly] + extra).result().get().image
    }

    private func evict() {
        cache.memoryStorage.trim(toCost: 0)
        #expect(!cache.memoryStorage.engine.isCached(key))
    }

    @Test("A request for an evicted image on screen gets that image, which is in memory again")
    func evicted() async throws {
        let image = try await show()
        evict()
        let load = rig.load(in: rig.other)
        #expect(load.task == nil)
        let result = try await load.result().get()
        #expect(result.image === image && result.cacheType == .memory && rig.bench.stub.requests.count == 1)
        #expect(cache.memoryStorage.engine.isCached(key))
    }

    @Test("An evicted image on screen counts as cached in memory")
    func cachedType() async throws {
        _ = try await show()
        evict()
        #expect(cache.imageCachedType(forKey: key) == .memory && cache.isCached(forKey: key))
    }

    @Test("Once no view shows the image, it is not found")
    func hidden() async throws {
        try await cache.store(try Image.blank(), forKey: key, toDisk: false)
        #expect(rig.load().outcomes.count == 1)
        evict()
        #expect(cache.retrieveImageInMemoryCache(forKey: key) != nil)
        evict()
        rig.view.image = nil
        #expect(cache.retrieveImageInMemoryCache(forKey: key) == nil)
    }

    @Test(
        "An image that was removed or replaced is not found",
        arguments: [
            "removeImage", "clearMemoryCache", "prefix", "store", "forceRefresh", "memoryStorage.remove",
            "memoryStorage.removeAll", "memoryStorage.store",
        ])
    func removed(by way: String) async throws {
        let image = try await show()
        evict()
        switch way {
        case "removeImage": try await cache.removeImage(forKey: key)
        case "clearMemoryCache": cache.clearMemoryCache()
        case "prefix": _ = try? await cache.removeImages(keyPrefix: key)
        case "store":
            try await cache.store(try Image.blank(), forKey: key, toDisk: false)
            evict()
        case "memoryStorage.remove": cache.memoryStorage.remove(forKey: key)
        case "memoryStorage.removeAll": cache.memoryStorage.removeAll()
        case "memoryStorage.store":
            cache.memoryStorage.store(value: try Image.blank(), forKey: key)
            evict()
        default: break
        }
        let options: KingfisherOptionsInfo = way == "forceRefresh" ? [.forceRefresh] : []
        let result = try await rig.load(in: rig.other, options).result().get()
        #expect(result.image !== image && rig.bench.stub.requests.count == 2)
    }

    @Test("An expired image is not found")
    func expired() async throws {
        let (folder, clock) = (try TemporaryFolder(), ManualClock())
        let cache = try ImageCache.make(in: folder, clock: clock)
        let options: KingfisherOptionsInfo = [
            .targetCache(cache), .cacheMemoryOnly, .memoryCacheExpiration(.seconds(10)),
        ]
        _ = try await rig.load(options).result().get()
        cache.memoryStorage.trim(toCost: 0)
        clock.advance(by: 9)
        #expect(cache.retrieveImageInMemoryCache(forKey: key) != nil)
        cache.memoryStorage.trim(toCost: 0)
        clock.advance(by: 2)
        #expect(cache.retrieveImageInMemoryCache(forKey: key) == nil)
    }

    @Test("An image that was removed before the view shows it is not found")
    func removedBeforeDisplay() async throws {
        let image = try Image.blank()
        cache.memoryStorage.store(value: image, forKey: key)
        cache.memoryStorage.remove(forKey: key)
        cache.memoryStorage.noteDisplay(of: image, forKey: key, expiration: nil)
        #expect(cache.retrieveImageInMemoryCache(forKey: key) == nil)
    }

    @Test("An image that an image modifier has changed is not found, because caches have the unmodified one")
    func modified() async throws {
        let other = try Image.blank()
        let image = try await show([.imageModifier(AnyImageModifier { _ in other })])
        #expect(image === other)
        evict()
        #expect(cache.retrieveImageInMemoryCache(forKey: key) == nil)
    }

    @Test("A processed image is found under its processor only")
    func processed() async throws {
        let processor = DownsamplingImageProcessor(size: CGSize(width: 2, height: 2))
        let image = try await show([.processor(processor)])
        cache.memoryStorage.trim(toCost: 0)
        #expect(cache.retrieveImageInMemoryCache(forKey: key) == nil)
        let found = cache.retrieveImageInMemoryCache(forKey: key, options: [.processor(processor)])
        #expect(found === image)
    }
}

import Kingfisher
import KingfisherTestSupport
import Testing
import TestHelpers

@MainActor struct BuilderDefaultsTests {
    private let view = ImageView()
    private let bench: Bench
    private let manager = KingfisherManager(downloader: .default, cache: .default)

    init() throws { bench = try Bench() }

    @Test("A builder starts from its manager's default options; its own modifiers win", .behaviours("V-14"))
    func defaults() {
        manager.defaultOptions = [.scaleFactor(2), .targetCache(bench.cache), .forceRefresh]
        let builder = KF.manager(manager).url(bench.url)
        manager.defaultOptions = []
        #expect(builder.options.scaleFactor == 2 && builder.options.forceRefresh)
        #expect(builder.options.targetCache === bench.cache)
        #expect(builder.scaleFactor(3).forceRefresh(false).options.scaleFactor == 3)
        #expect(!builder.options.forceRefresh)
    }

    @Test("The original cache follows the builder's target cache, unless the defaults name one")
    func originalCache() async throws {
        let (other, named) = (try Bench(), try Bench())
        manager.defaultOptions = [.targetCache(bench.cache)]
        var builders = [KF.manager(manager).url(bench.url)]
        manager.defaultOptions += [.originalCache(named.cache)]
        builders.append(KF.manager(manager).url(bench.url))
        for (builder, original) in zip(builders, [other, named]) {
            let loaded = Inbox<Void>()
            builder.targetCache(other.cache).downloader(bench.downloader).cacheOriginalImage().waitForCache()
                .setProcessor(CountingProcessor("own")).onSuccess { _ in loaded.put() }.set(to: view)
            _ = try await loaded.first(1)
            #expect(original.cache.isCached(forKey: bench.url.cacheKey))
            #expect(!bench.cache.isCached(forKey: bench.url.cacheKey))
            await other.cache.clearCache()
        }
    }

    @Test("The manager's downloader and cache are read when the load starts")
    func readsManagerAtTheStart() async throws {
        let builder = KF.manager(manager).url(bench.url)
        let loaded = Inbox<CacheType>()
        manager.downloader = bench.downloader
        manager.cache = bench.cache
        builder.onSuccess { loaded.put($0.cacheType) }.set(to: view)
        #expect(try await loaded.first() == .none)
        #expect(bench.cache.isCached(forKey: bench.url.cacheKey) && bench.stub.requests.count == 1)
    }
}

import Kingfisher
import KingfisherTestSupport
import Testing

/// V-14 for builders. The changes are made and taken back without a pause: other views never see them.
extension ImageViewLoadingSharedManagerTests {
    @Test("A builder starts from the shared manager's default options; its own modifiers win")
    func builderStartsFromDefaults() async throws {
        var builder = KF.url(bench.url)
        try await restoring { shared in
            shared.defaultOptions = [.scaleFactor(2), .targetCache(bench.cache), .forceRefresh]
            builder = KF.url(bench.url)
        }
        #expect(builder.options.scaleFactor == 2 && builder.options.forceRefresh)
        #expect(builder.options.targetCache === bench.cache)
        #expect(builder.scaleFactor(3).forceRefresh(false).options.scaleFactor == 3)
        #expect(!builder.options.forceRefresh)
    }

    @Test("The original cache follows the builder's target cache, unless the defaults name one")
    func builderOriginalCache() async throws {
        let (other, named) = (try Bench(), try Bench())
        var builders: [KF.Builder] = []
        try await restoring { shared in
            shared.defaultOptions = [.targetCache(bench.cache)]
            builders.append(KF.url(bench.url))
            shared.defaultOptions += [.originalCache(named.cache)]
            builders.append(KF.url(bench.url))
        }
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

    @Test("The manager's downloader and cache are those of the moment at which the load begins")
    func builderReadsManagerAtTheStart() async throws {
        let builder = KF.url(bench.url)
        let loaded = Inbox<CacheType>()
        try await restoring { shared in
            shared.downloader = bench.downloader
            shared.cache = bench.cache
            builder.onSuccess { loaded.put($0.cacheType) }.set(to: view)
        }
        #expect(try await loaded.first() == .none)
        #expect(bench.cache.isCached(forKey: bench.url.cacheKey) && bench.stub.requests.count == 1)
    }
}

import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// V-14. The only tests that change the shared manager; all others name their downloader and cache.
@Suite(.serialized) @MainActor struct ImageViewLoadingSharedManagerTests {
    let view = ImageView()
    let bench: Bench

    init() throws { bench = try Bench() }

    /// Puts back what `body` changes.
    func restoring(_ body: (KingfisherManager) async throws -> Void) async throws {
        let shared = KingfisherManager.shared
        let (downloader, cache, options) = (shared.downloader, shared.cache, shared.defaultOptions)
        defer {
            shared.downloader = downloader
            shared.cache = cache
            shared.defaultOptions = options
        }
        try await body(shared)
    }

    private func load(_ options: KingfisherOptionsInfo? = nil) async throws -> RetrieveImageResult {
        let results = Inbox<ImageViewLoadingRig.Outcome>()
        view.kf.setImage(with: bench.url, options: options) { results.put($0) }
        return try await results.first().get()
    }

    @Test("V-14: the shared manager's downloader and cache are read when a load begins")
    func downloaderAndCache() async throws {
        try await restoring { (shared) async throws -> Void in
            shared.downloader = bench.downloader
            shared.cache = bench.cache
            #expect(try await load().cacheType == .none)
        }
        #expect(bench.stub.requests.count == 1)
        #expect(bench.cache.isCached(forKey: bench.url.cacheKey))
        #expect(KingfisherManager.shared.downloader === ImageDownloader.default)
    }

    @Test("V-14: so are its default options")
    func defaultOptions() async throws {
        let other = try Bench()
        try await restoring { (shared) async throws -> Void in
            shared.defaultOptions = [.downloader(bench.downloader), .targetCache(bench.cache)]
            #expect(try await load().cacheType == .none)
            #expect(try await load().cacheType == .memory)
            // The call's own options win.
            #expect(try await load([.targetCache(other.cache)]).cacheType == .none)
        }
        #expect(bench.stub.requests.count == 2)
        #expect(other.cache.isCached(forKey: bench.url.cacheKey))
    }

    @Test("Every place that takes a picture asks the shared manager", arguments: LoadingPlace.allCases)
    func everyPlace(place: LoadingPlace) async throws {
        let (rig, done) = (LoadingPlaceRig(place, bench), Inbox<ImageViewLoadingRig.Outcome>())
        try await restoring { (shared) async throws -> Void in
            shared.downloader = bench.downloader
            shared.cache = bench.cache
            shared.defaultOptions = [.scaleFactor(3)]
            _ = rig.start(.network(bench.url), nil, []) { done.put($0) }
        }
        #expect(try await done.first().get().image.scale == 3)
        #expect(bench.stub.requests.count == 1 && rig.image?.scale == 3)
    }

    @Test("A load in flight keeps the downloader and the cache that it began with")
    func readAtTheStart() async throws {
        let results = Inbox<ImageViewLoadingRig.Outcome>()
        bench.stub.hold()
        try await restoring { (shared) async throws -> Void in
            shared.downloader = bench.downloader
            shared.cache = bench.cache
            view.kf.setImage(with: bench.url) { results.put($0) }
        }
        bench.stub.release()
        _ = try await results.first().get()
        #expect(bench.stub.requests.count == 1)
        #expect(bench.cache.isCached(forKey: bench.url.cacheKey))
    }
}

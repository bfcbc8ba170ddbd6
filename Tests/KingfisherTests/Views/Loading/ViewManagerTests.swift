import Foundation
import KingfisherTestSupport
import Synchronization
import Testing
import TestHelpers

@testable import Kingfisher

/// V-14: the managers of views, builders and prefetchers.
@MainActor struct ViewManagerTests {
    private let view = ImageView()
    private let bench: Bench

    init() throws { bench = try Bench() }

    private func load(_ options: KingfisherOptionsInfo) async throws -> RetrieveImageResult {
        let results = Inbox<ImageViewLoadingRig.Outcome>()
        view.kf.setImage(with: bench.url, options: options) { results.put($0) }
        return try await results.first().get()
    }

    @Test("Without a manager in the options the shared one is used", .behaviours("V-14"))
    func shared() {
        #expect(KingfisherManager.viewOptions(nil).manager === KingfisherManager.shared)
        #expect(KingfisherManager.viewOptions([.forceRefresh]).manager === KingfisherManager.shared)
        #expect(KF.url(bench.url).options.manager === KingfisherManager.shared)
    }

    @Test("The manager's downloader and cache are read when a load starts", .behaviours("V-14"))
    func downloaderAndCache() async throws {
        let manager = KingfisherManager(downloader: .default, cache: .default)
        manager.downloader = bench.downloader
        manager.cache = bench.cache
        #expect(try await load([.manager(manager)]).cacheType == .none)
        #expect(bench.stub.requests.count == 1)
        #expect(bench.cache.isCached(forKey: bench.url.cacheKey))
        #expect(manager.downloader !== ImageDownloader.default)
    }

    @Test(
        "The manager's default options are read when a load starts, and precede the call's own",
        .behaviours("V-14"))
    func defaultOptions() async throws {
        let other = try Bench()
        let manager = KingfisherManager(downloader: .default, cache: .default)
        manager.defaultOptions = [.downloader(bench.downloader), .targetCache(bench.cache)]
        #expect(try await load([.manager(manager)]).cacheType == .none)
        #expect(try await load([.manager(manager)]).cacheType == .memory)
        // A transfer that is still delivering would accept the next load.
        #expect(await poll { bench.downloader.transfers.withLock(\.isEmpty) })
        #expect(try await load([.manager(manager), .targetCache(other.cache)]).cacheType == .none)
        #expect(bench.stub.requests.count == 2)
        #expect(other.cache.isCached(forKey: bench.url.cacheKey))
    }

    @Test(
        "Every loading place uses the manager in the options", arguments: LoadingPlace.allCases
    )
    func everyPlace(place: LoadingPlace) async throws {
        let (rig, done) = (LoadingPlaceRig(place, bench), Inbox<ImageViewLoadingRig.Outcome>())
        let manager = KingfisherManager(downloader: bench.downloader, cache: bench.cache)
        manager.defaultOptions = [.scaleFactor(3)]
        _ = rig.start(.network(bench.url), nil, [.manager(manager)]) { done.put($0) }
        #expect(try await done.first().get().image.scale == 3)
        #expect(bench.stub.requests.count == 1 && rig.image?.scale == 3)
    }

    @Test("A running load retains its downloader and cache")
    func readAtTheStart() async throws {
        let (results, other) = (Inbox<ImageViewLoadingRig.Outcome>(), try Bench())
        bench.stub.hold()
        let manager = KingfisherManager(downloader: bench.downloader, cache: bench.cache)
        view.kf.setImage(with: bench.url, options: [.manager(manager)]) { results.put($0) }
        manager.downloader = other.downloader
        manager.cache = other.cache
        bench.stub.release()
        _ = try await results.first().get()
        #expect(bench.stub.requests.count == 1)
        #expect(bench.cache.isCached(forKey: bench.url.cacheKey))
    }

    @Test("A builder of a manager uses its default options and loads with it")
    func builder() async throws {
        let manager = KingfisherManager(downloader: bench.downloader, cache: bench.cache)
        manager.defaultOptions = [.scaleFactor(3)]
        let results = Inbox<RetrieveImageResult>()
        let builder = KF.manager(manager).url(bench.url).onSuccess { results.put($0) }
        #expect(builder.options.scaleFactor == 3)
        builder.set(to: view)
        #expect(try await results.first().image.scale == 3)
        #expect(bench.stub.requests.count == 1)
    }

    @Test("A prefetcher of a manager uses its parts, default options and memory budget")
    func prefetcher() async throws {
        let manager = KingfisherManager(downloader: bench.downloader, cache: bench.cache)
        let processor = CountingProcessor("p")
        manager.defaultOptions = [.processor(processor)]
        let url = bench.url
        func prefetch() async throws -> [Int] {
            let counts = Inbox<[Int]>()
            ImagePrefetcher(urls: [url], options: [.manager(manager)]) { skipped, failed, completed in
                counts.put([skipped.count, failed.count, completed.count])
            }.start()
            return try await counts.first()
        }
        #expect(try await prefetch() == [0, 0, 1])
        #expect(try await prefetch() == [1, 0, 0])
        #expect(processor.calls == 1 && bench.stub.requests.count == 1)
        bench.cache.clearMemoryCache()
        await bench.cache.clearDiskCache()
        manager.memoryBudget = 1
        #expect(try await prefetch() == [0, 1, 0])
    }
}

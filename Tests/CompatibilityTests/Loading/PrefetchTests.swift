import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// The number of skipped, failed and completed resources.
private struct Counts: Equatable {
    let skipped: Int, failed: Int, completed: Int
}

@Suite(.timeLimit(.minutes(1))) struct PrefetchTests {
    let box: Sandbox
    private let urls: [URL]

    init() throws {
        box = try Sandbox()
        urls = ["PNG/rgb8.png", "PNG/gray8.png", "JPEG/420.jpg", "JPEG/444.jpg"].map(box.url)
    }

    private func prefetch(
        _ urls: [URL], _ options: KingfisherOptionsInfo = [], atOnce: Int = 5
    ) async -> Counts {
        await answer { done in
            let prefetcher = ImagePrefetcher(
                urls: urls, options: box.options + options,
                completionHandler: { skipped, failed, completed in
                    done(Counts(skipped: skipped.count, failed: failed.count, completed: completed.count))
                })
            prefetcher.maxConcurrentDownloads = atOnce
            prefetcher.start()
        }
    }

    @Test("A prefetcher fills the cache, and skips everything the second time")
    func warms() async {
        #expect(await prefetch(urls, [.waitForCache]) == Counts(skipped: 0, failed: 0, completed: 4))
        #expect(urls.allSatisfy { box.cache.isCached(forKey: $0.cacheKey) })
        #expect(await prefetch(urls) == Counts(skipped: 4, failed: 0, completed: 0))
        #expect(box.server.requestCount() == 4)
    }

    @Test("Missing resources are counted as failed")
    func fails() async {
        let counts = await prefetch(urls + [box.url("missing.png")], atOnce: 1)
        #expect(counts == Counts(skipped: 0, failed: 1, completed: 4))
    }

    @Test("alsoPrefetchToMemory loads images from disk into memory")
    func toMemory() async {
        _ = await prefetch(urls, [.waitForCache])
        box.cache.clearMemoryCache()
        _ = await prefetch(urls)
        #expect(box.cache.imageCachedType(forKey: urls[0].cacheKey) == .disk)
        #expect(await prefetch(urls, [.alsoPrefetchToMemory]).skipped == 4)
        #expect(urls.allSatisfy { box.cache.imageCachedType(forKey: $0.cacheKey) == .memory })
    }

    @Test("Progress is reported for resources with explicit keys")
    func progress() async {
        let resources = urls.enumerated().map { ImageResource(downloadURL: $1, cacheKey: "page-\($0)") }
        let steps = Shared<[Int]>([])
        let completed: [String] = await answer { done in
            let prefetcher = ImagePrefetcher(
                resources: resources, options: box.options,
                progressBlock: { skipped, failed, completed in
                    steps.change { $0.append(skipped.count + failed.count + completed.count) }
                },
                completionHandler: { _, _, completed in done(completed.map(\.cacheKey)) })
            prefetcher.start()
        }
        #expect(steps.value == [1, 2, 3, 4] && Set(completed) == Set(resources.map(\.cacheKey)))
    }

    @Test("Sources of every kind are prefetched")
    func sources() async throws {
        let raw = RawImageDataProvider(data: try Fixtures.data(named: "PNG/rgb8.png"), cacheKey: "raw")
        let sources: [Source] = [.network(urls[0]), .provider(raw)]
        let completed: [Source] = await answer { done in
            let prefetcher = ImagePrefetcher(
                sources: sources, options: box.options,
                completionHandler: { _, _, completed in done(completed) })
            #expect(!prefetcher.description.isEmpty)
            prefetcher.start()
        }
        #expect(Set(completed) == Set(sources) && box.cache.isCached(forKey: "raw"))
    }

    @Test("A prefetcher can be stopped")
    func stops() async {
        let slow = urls.map { box.url("slow" + $0.path) }
        let failed: Int = await answer { done in
            let prefetcher = ImagePrefetcher(
                urls: slow, options: box.options, completionHandler: { _, failed, _ in done(failed.count) })
            prefetcher.start()
            prefetcher.stop()
        }
        #expect(failed == 4)
    }
}

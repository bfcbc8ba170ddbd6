import Foundation
import KingfisherTestSupport
import Testing
import TestHelpers

@testable import Kingfisher

/// Which sources a prefetcher fetches and skips, and what it reports.
@Suite struct ImagePrefetcherTests {
    private let bench: Bench
    private let urls = (0..<4).map { _ in Bench.freshURL() }
    private var keys: [String] { urls.map(\.cacheKey) }

    init() throws {
        bench = try Bench()
    }

    @Test(
        "All sources are cached, with cumulative progress for each and one completion on the main queue",
        .behaviours("P-1")
    )
    func fetches() async throws {
        let (prefetcher, reports) = bench.prefetcher(urls, [.waitForCache])
        prefetcher.start()
        let end = try await reports.end()
        #expect(end.counts == [0, 0, 4] && Set(end.completed) == Set(keys) && end.onMain)
        let progress = reports.progress.values
        #expect(progress.map(\.total) == [1, 2, 3, 4])
        #expect(progress.map(\.onMain) == [true, true, true, true])
        for (one, next) in zip(progress, progress.dropFirst()) {
            #expect(next.completed.starts(with: one.completed))
        }
        #expect(progress.last == end)
        for key in keys {
            #expect(bench.cache.memoryStorage.isCached(forKey: key))
            #expect(bench.cache.diskStorage.isCached(forKey: key))
        }
        #expect(bench.stub.requests.count == 4)
    }

    @Test("Each source is reported once, as skipped, failed or completed", .behaviours("P-1"))
    func mixture() async throws {
        let png = try TestImages.png
        let bench = try Bench { $0.url?.pathExtension == "bad" ? StubAnswer(status: 404) : .ok(png) }
        let cached = Bench.freshURL()
        _ = try await bench.retrieve(cached).get()
        let bad = Bench.freshURL("bad")
        let (prefetcher, reports) = bench.prefetcher([cached, bad] + urls)
        prefetcher.start()
        let end = try await reports.end()
        #expect(end.skipped == [cached.cacheKey] && end.failed == [bad.cacheKey] && end.completed.count == 4)
        #expect(reports.progress.values.map(\.total) == Array(1...6))
    }

    @Test(
        "Sources cached in memory or on disk are skipped without a request and are not promoted",
        .behaviours("P-2"),
        arguments: [
            CacheType.memory, .disk,
        ])
    func skips(type: CacheType) async throws {
        _ = try await bench.prefetch(urls, [.waitForCache])
        if type == .disk { bench.cache.clearMemoryCache() }
        #expect(try await bench.prefetch(urls).counts == [4, 0, 0])
        #expect(bench.stub.requests.count == 4)
        #expect(keys.allSatisfy { bench.cache.imageCachedType(forKey: $0) == type })
    }

    @Test(
        "A source is skipped only if the processed image is cached with its file extension",
        .behaviours("P-2"))
    func skipsByIdentifier() async throws {
        _ = try await bench.prefetch(urls, [.waitForCache])
        #expect(try await bench.prefetch(urls, [.processor(CountingProcessor("p"))]).counts == [0, 0, 4])
        bench.cache.clearMemoryCache()
        #expect(try await bench.prefetch(urls, [.forcedCacheFileExtension("jpg")]).counts == [0, 0, 4])
    }

    @Test("forceRefresh skips no source", .behaviours("P-2"))
    func forceRefresh() async throws {
        _ = try await bench.prefetch(urls)
        #expect(try await bench.prefetch(urls, [.forceRefresh]).counts == [0, 0, 4])
        #expect(bench.stub.requests.count == 8)
        #expect(try await bench.prefetch(urls, [.forceRefresh, .alsoPrefetchToMemory]).counts == [0, 0, 4])
        #expect(bench.stub.requests.count == 12)
    }

    @Test(
        "alsoPrefetchToMemory loads a file on disk into memory and counts it as skipped", .behaviours("P-2")
    )
    func alsoPrefetchToMemory() async throws {
        _ = try await bench.prefetch(urls, [.waitForCache])
        bench.cache.clearMemoryCache()
        #expect(try await bench.prefetch(urls, [.alsoPrefetchToMemory]).counts == [4, 0, 0])
        #expect(keys.allSatisfy { bench.cache.imageCachedType(forKey: $0) == .memory })
        #expect(bench.stub.requests.count == 4)
        #expect(try await bench.prefetch(urls, [.alsoPrefetchToMemory]).counts == [4, 0, 0])
    }

    @Test("alsoPrefetchToMemory downloads a corrupt or missing file")
    func brokenFile() async throws {
        try await bench.cache.storeToDisk(TestImages.garbage, forKey: keys[0])
        #expect(try await bench.prefetch(Array(urls[..<2]), [.alsoPrefetchToMemory]).counts == [0, 0, 2])
        #expect(bench.stub.requests.count == 2)
    }

    @Test("An empty list completes with zeros and without progress", .behaviours("P-3"))
    func empty() async throws {
        let (prefetcher, reports) = bench.prefetcher([URL]())
        prefetcher.start()
        #expect(try await reports.end().counts == [0, 0, 0])
        #expect(reports.progress.count == 0)
    }

    @Test("A limit of one downloads one source after another", .behaviours("P-3"))
    func oneAtATime() async throws {
        let (prefetcher, reports) = bench.prefetcher(urls)
        prefetcher.maxConcurrentDownloads = 1
        prefetcher.start()
        #expect(try await reports.end().completed == keys)
        #expect(bench.stub.requests.map(\.url) == urls)
    }

    @Test(
        "The default limit is 5; a higher limit applies immediately, a lower one as sources end",
        .behaviours("P-8"))
    func limit() async throws {
        bench.stub.hold()
        let many = (0..<12).map { _ in Bench.freshURL() }
        let (prefetcher, reports) = bench.prefetcher(many)
        #expect(prefetcher.maxConcurrentDownloads == 5)
        prefetcher.start()
        #expect(await poll { bench.stub.liveTransfers == 5 })
        try await bench.cache.settle()
        #expect(bench.stub.requests.count == 5)
        prefetcher.maxConcurrentDownloads = 6
        #expect(await poll { bench.stub.liveTransfers == 6 })
        prefetcher.maxConcurrentDownloads = 1
        try await bench.cache.settle()
        #expect(bench.stub.requests.count == 6)
        bench.stub.release()
        #expect(try await reports.end().counts == [0, 0, 12])
    }

    @Test("Resource handlers receive network sources only, source handlers receive all", .behaviours("P-6"))
    func resources() async throws {
        let file = bench.folder.url.appending(path: "image.png")
        try TestImages.png.write(to: file)
        let resources: [any Resource] = [
            urls[0], file, KF.ImageResource(downloadURL: urls[1], cacheKey: "own"),
        ]
        let reports = PrefetchReports()
        ImagePrefetcher(
            resources: resources, options: bench.options, progressBlock: reports.resourceProgress,
            completionHandler: reports.resourceEnd
        ).start()
        #expect(Set(try await reports.end().completed) == [urls[0].cacheKey, "own"])
        #expect(reports.progress.count == 3)
        #expect(bench.cache.isCached(forKey: file.cacheKey))
        let (prefetcher, all) = bench.prefetcher(resources.map { $0.convertToSource() })
        prefetcher.start()
        #expect(Set(try await all.end().skipped) == [urls[0].cacheKey, "own", file.cacheKey])
    }

    @Test("A trailing closure is the completion handler of each initialiser")
    func trailingClosure() async throws {
        let ends = Inbox<Int>()
        let sources = urls.map { Source.network($0) }
        ImagePrefetcher(urls: urls, options: bench.options) { ends.put($0.count + $1.count + $2.count) }
            .start()
        ImagePrefetcher(resources: urls, options: bench.options) { ends.put($0.count + $1.count + $2.count) }
            .start()
        ImagePrefetcher(sources: sources, options: bench.options) { ends.put($0.count + $1.count + $2.count) }
            .start()
        #expect(try await ends.first(3) == [4, 4, 4])
        await passMainQueue()
        #expect(ends.count == 3)
    }

    @Test("A prefetcher without handlers and without references completes its work")
    func withoutReferences() async throws {
        ImagePrefetcher(urls: urls, options: bench.options).start()
        #expect(await poll { keys.allSatisfy { bench.cache.memoryStorage.isCached(forKey: $0) } })
    }

    @Test(
        "A retry strategy is asked after each failure, and the source is reported once as failed",
        .behaviours("P-7"))
    func retries() async throws {
        let bench = try Bench { _ in StubAnswer(status: 503) }
        let strategy = ScriptedStrategy(retries: 2)
        let (prefetcher, reports) = bench.prefetcher([urls[0]], [.retryStrategy(strategy)])
        prefetcher.start()
        #expect(try await reports.end().counts == [0, 1, 0])
        #expect(strategy.counts == [0, 1, 2] && reports.progress.count == 1)
        let stopping = ScriptedStrategy(retries: 0)
        #expect(try await bench.prefetch([urls[0]], [.retryStrategy(stopping)]).counts == [0, 1, 0])
        #expect(stopping.counts == [0])
    }

    @Test(
        "A source that succeeds by retry or by an alternative is reported once as completed",
        .behaviours("P-7", "P-1"))
    func retrySucceeds() async throws {
        let png = try TestImages.png
        let answers = Locked([StubAnswer(status: 503), StubAnswer(status: 503)])
        let bench = try Bench { _ in answers.withLock { $0.popLast() } ?? .ok(png) }
        let delaying = DelayRetryStrategy(maxRetryCount: 3, retryInterval: .seconds(0))
        let (prefetcher, reports) = bench.prefetcher([urls[0]], [.retryStrategy(delaying)])
        prefetcher.start()
        #expect(try await reports.end().completed == [keys[0]])
        #expect(reports.progress.count == 1)
        answers.withLock { $0 = [StubAnswer(status: 404)] }
        #expect(
            try await bench.prefetch([urls[1]], [.alternativeSources([.network(urls[2])])]).completed == [
                keys[1]
            ])
        #expect(bench.cache.isCached(forKey: keys[2]))
    }

    @Test("The callback queue and image modifiers are ignored", .behaviours("P-8"))
    func callbackQueue() async throws {
        let modifier = CountingModifier()
        let marked = MarkedQueue()
        marked.queue.suspend()
        defer { marked.queue.resume() }
        let end = try await bench.prefetch(
            urls, [.callbackQueue(.dispatch(marked.queue)), .imageModifier(modifier)])
        #expect(end.counts == [0, 0, 4] && end.onMain)
        #expect(modifier.calls == 0)
    }

    @Test(
        "Without options the default cache and downloader are used, not those of the shared manager",
        .behaviours("P-8"))
    func defaults() async {
        await #expect(processExitsWith: .success) {
            let bench = try Bench()
            let server = try LoopbackServer { [png = try TestImages.png] _ in .ok(png) }
            defer { server.stop() }
            KingfisherManager.shared.cache = bench.cache
            KingfisherManager.shared.downloader = bench.downloader
            KingfisherManager.shared.defaultOptions = [.onlyFromCache]
            let url = server.url("/\(UUID().uuidString)")
            let reports = PrefetchReports()
            ImagePrefetcher(
                urls: [url], options: [.cacheMemoryOnly], completionHandler: reports.resourceEnd
            ).start()
            #expect(try await reports.end().counts == [0, 0, 1])
            #expect(ImageCache.default.memoryStorage.isCached(forKey: url.cacheKey))
            #expect(!bench.cache.isCached(forKey: url.cacheKey) && bench.stub.requests.isEmpty)
        }
    }

    @Test("A blocked main queue delays only the handlers")
    func mainQueueBlocked() async {
        await #expect(processExitsWith: .success) {
            let bench = try Bench { _ in StubAnswer(status: 503) }
            let good = try Bench()
            let block = try await MainQueueBlocker()
            defer { block.end() }
            let urls = (0..<20).map { _ in Bench.freshURL() }
            let (prefetcher, reports) = good.prefetcher(urls)
            prefetcher.start()
            let delaying = DelayRetryStrategy(maxRetryCount: 1, retryInterval: .seconds(0.01))
            let (failing, toldFailing) = bench.prefetcher([bench.url], [.retryStrategy(delaying)])
            failing.start()
            #expect(await poll { urls.allSatisfy { good.cache.memoryStorage.isCached(forKey: $0.cacheKey) } })
            #expect(await poll { bench.stub.requests.count == 2 })
            #expect(reports.progress.count == 0 && block.isHolding)
            block.end()
            #expect(try await reports.end().counts == [0, 0, 20])
            #expect(reports.progress.values.map(\.total) == Array(1...20))
            #expect(try await toldFailing.end().counts == [0, 1, 0])
        }
    }

    @Test("The description contains the counts")
    func description() async throws {
        let (prefetcher, reports) = bench.prefetcher(urls)
        #expect("\(prefetcher)" == "ImagePrefetcher of 4 sources: 0 skipped, 0 failed, 0 completed")
        prefetcher.start()
        _ = try await reports.end()
        #expect(prefetcher.description.hasSuffix("4 completed"))
    }

    @Test("Handlers are released on completion even if the prefetcher is retained")
    func releasesHandlers() async throws {
        final class Token: Sendable {}
        weak var token: Token?
        let ends = Inbox<Void>()
        let prefetcher: ImagePrefetcher
        do {
            let retained = Token()
            token = retained
            prefetcher = ImagePrefetcher(urls: urls, options: bench.options) { _, _, _ in
                withExtendedLifetime(retained) { ends.put() }
            }
        }
        prefetcher.start()
        try await ends.first()
        await passMainQueue()
        #expect(token == nil)
        withExtendedLifetime(prefetcher) {}
    }
}

import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing
import TestHelpers

@Suite struct ManagerCallbackTests {
    enum RequestEnding: CaseIterable, Sendable { case network, memory, missing, failure }

    private func prepare(_ ending: RequestEnding) async throws -> (
        bench: Bench, options: KingfisherOptionsInfo
    ) {
        let bench = try ending == .failure ? Bench(serving: TestImages.garbage) : Bench()
        if ending == .memory { _ = try await bench.retrieve().get() }
        return (bench, ending == .missing ? [.onlyFromCache] : [])
    }

    @Test(
        "Without a callback queue, the completion is called on the main queue", .behaviours("M-2"),
        arguments: RequestEnding.allCases)
    func mainByDefault(ending: RequestEnding) async throws {
        let (bench, options) = try await prepare(ending)
        let onMain: Bool = try await outcome { done in
            bench.manager.retrieveImage(with: bench.url, options: options) { _ in done(MainQueue.isCurrent) }
        }
        #expect(onMain)
    }

    @Test(
        "The completion is called on the given callback queue", .behaviours("M-2"),
        arguments: RequestEnding.allCases)
    func givenQueue(ending: RequestEnding) async throws {
        let (bench, options) = try await prepare(ending)
        let marked = MarkedQueue()
        let isMarked: Bool = try await outcome { done in
            bench.manager.retrieveImage(
                with: bench.url, options: options + [.callbackQueue(.dispatch(marked.queue))]
            ) { _ in done(marked.isCurrent) }
        }
        #expect(isMarked)
    }

    @Test("Progress is called on the main queue regardless of the callback queue", .behaviours("M-2"))
    func progressOnMain() async throws {
        let bench = try Bench()
        let (progress, done) = (Inbox<Bool>(), Inbox<Void>())
        bench.manager.retrieveImage(
            with: bench.url, options: [.callbackQueue(.dispatch(DispatchQueue(label: "other")))],
            progressBlock: { _, _ in progress.put(MainQueue.isCurrent) }
        ) { _ in done.put() }
        _ = try await done.first(1)
        #expect(try await progress.first())
        #expect(progress.values.allSatisfy { $0 })
    }

    @Test(
        "On the main queue, a memory hit completes before the call returns",
        .behaviours("M-2", "C-4"))
    func synchronousMemoryHit() async throws {
        let bench = try Bench()
        let stored = try await bench.retrieve().get().image
        let (images, hasTask): ([Image?], Bool) = try await outcome { done in
            DispatchQueue.main.async {
                let inbox = Inbox<Image?>()
                let task = bench.manager.retrieveImage(with: bench.url) { inbox.put(try? $0.get().image) }
                done((inbox.values, task != nil))
            }
        }
        #expect(images == [stored])
        #expect(!hasTask)
    }

    @Test("On the main actor, a memory hit completes before the call returns", .behaviours("M-2"))
    @MainActor func memoryHitOnTheMainActor() async throws {
        let bench = try Bench()
        let stored = try await bench.retrieve().get().image
        let inbox = Inbox<Image?>()
        bench.manager.retrieveImage(with: bench.url) { inbox.put(try? $0.get().image) }
        #expect(inbox.values == [stored])
    }

    @Test("Every outcome completes exactly once", arguments: RequestEnding.allCases)
    func exactlyOnce(ending: RequestEnding) async throws {
        let (bench, options) = try await prepare(ending)
        let inbox = Inbox<Void>()
        bench.manager.retrieveImage(with: bench.url, options: options + [.waitForCache, .cacheOriginalImage])
        { _ in
            inbox.put()
        }
        _ = try await inbox.first(1)
        try await bench.cache.settle()
        await passMainQueue()
        #expect(inbox.count == 1)
    }

    @Test(
        "The image modifier changes the result once per request, and the cache has the unmodified image",
        .behaviours("M-12", "C-10")
    )
    func modifier() async throws {
        let bench = try Bench()
        let modifier = CountingModifier()
        let options: KingfisherOptionsInfo = [.imageModifier(modifier), .waitForCache]
        for type in [CacheType.none, .memory, .disk] {
            if type == .disk { bench.cache.clearMemoryCache() }
            let result = try await bench.retrieve(nil, options).get()
            #expect(result.cacheType == type)
            #expect(result.image.renderingMode == .alwaysTemplate)
            let cached = bench.cache.retrieveImageInMemoryCache(forKey: bench.url.cacheKey)
            #expect(cached?.renderingMode == .automatic)
        }
        #expect(modifier.calls == 3)
    }

    @Test(
        "data() is the downloaded data, or the serializer's encoding of a cached image",
        .behaviours("M-12"))
    func resultData() async throws {
        let jpeg = try TestImages.jpeg
        let bench = try Bench(serving: jpeg)
        let fresh = try await bench.retrieve(nil, [.waitForCache]).get()
        #expect(fresh.data() == jpeg)
        let serializer = CountingSerializer { image, _ in Data("\(image.size.width)".utf8) }
        let cached = try await bench.retrieve(nil, [.cacheSerializer(serializer)]).get()
        #expect(cached.cacheType == .memory)
        #expect(cached.data() == Data("\(cached.image.size.width)".utf8))
    }

    @Test(
        "Default options apply to every call; a call's options override them",
        .behaviours("M-14"))
    func defaultOptions() async throws {
        let bench = try Bench()
        let other = try Bench()
        bench.manager.defaultOptions = [.scaleFactor(2), .targetCache(other.cache), .cacheMemoryOnly]
        #expect(try await bench.retrieve().get().image.scale == 2)
        #expect(other.cache.isCached(forKey: bench.url.cacheKey))
        #expect(!bench.cache.isCached(forKey: bench.url.cacheKey))
        #expect(try await bench.retrieve(nil, [.forceRefresh, .scaleFactor(3)]).get().image.scale == 3)
        #expect(try await bench.retrieve(nil, [.targetCache(bench.cache)]).get().cacheType == .none)
        #expect(
            try await bench.manager.retrieveImage(with: bench.url, options: [.forceRefresh]).image.scale == 2)
    }

    @Test("A downloader in the options is used", .behaviours("M-14"))
    func downloaderOption() async throws {
        let bench = try Bench()
        let other = try Bench(serving: TestImages.jpeg)
        _ = try await bench.retrieve(nil, [.downloader(other.downloader)]).get()
        #expect(bench.stub.requests.isEmpty)
        #expect(other.stub.requests.count == 1)
    }

    @Test("A download has metrics, and a cached image has none")
    func metrics() async throws {
        let bench = try Bench()
        let fresh = try #require(await bench.retrieve().get().metrics)
        #expect(try #require(fresh.retrieveImageDuration) >= 0)
        #expect(fresh.httpStatusCode == 200)
        #expect(try await bench.retrieve().get().metrics == nil)
    }

    @Test("A result names its source")
    func sources() async throws {
        let bench = try Bench()
        let result = try await bench.retrieve().get()
        #expect(result.source == .network(bench.url))
        #expect(result.originalSource == .network(bench.url))
    }
}

import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher
@testable import KingfisherConcurrency

struct RetrieveDataTests {
    private let processor = CountingProcessor("p")
    private let serializer = CountingSerializer()

    private var options: KingfisherOptionsInfo {
        [.processor(processor), .cacheSerializer(serializer), .waitForCache]
    }

    private func retrieve(
        _ bench: Bench, _ source: Source? = nil, _ own: KingfisherOptionsInfo = []
    ) async throws -> Result<RetrieveDataResult, KingfisherError> {
        try await outcome {
            bench.manager.retrieveData(
                with: source ?? .network(bench.url), options: options + own, completionHandler: $0)
        }
    }

    private func file(_ bench: Bench, _ identifier: String = "p") throws -> Data? {
        try bench.cache.diskStorage.value(forKey: bench.url.cacheKey.computedKey(with: identifier))
    }

    @Test("The file is made once, then comes from memory, then from disk, without decoding")
    func places() async throws {
        let bench = try Bench()
        let made = try await retrieve(bench).get()
        #expect(made.cacheType == .none && made.image != nil && made.mediaType == "image/png")
        #expect(try file(bench) == made.data)
        let inMemory = try await retrieve(bench).get()
        #expect(inMemory.cacheType == .memory && inMemory.image == nil && inMemory.data == made.data)
        bench.cache.clearMemoryCache()
        let onDisk = try await retrieve(bench).get()
        #expect(onDisk.cacheType == .disk && onDisk.image == nil && onDisk.data == made.data)
        #expect(try await retrieve(bench).get().cacheType == .memory)
        #expect(processor.calls == 1 && serializer.encoded == 1 && serializer.decoded == 0)
        #expect(bench.stub.requests.count == 1)
        #expect(bench.cache.memoryStorage.totalCacheCost() == 0, "Memory has the file, not the pixels")
    }

    @Test("A hit in memory completes before the call returns, without a task")
    func synchronousHit() async throws {
        let bench = try Bench()
        _ = try await retrieve(bench).get()
        let inbox = Inbox<Data?>()
        let task = bench.manager.retrieveData(
            with: bench.url, options: options + [.callbackQueue(.untouch)]
        ) { inbox.put(try? $0.get().data) }
        #expect(task == nil && inbox.count == 1)
    }

    @Test("Concurrent requests share the download, the processing and the encoding")
    func shared() async throws {
        let bench = try Bench()
        let inbox = Inbox<Data?>()
        for _ in 0..<50 {
            bench.manager.retrieveData(
                with: bench.url, options: options + [.callbackQueue(.untouch)]
            ) { inbox.put(try? $0.get().data) }
        }
        let files = try await inbox.first(50)
        #expect(Set(files).count == 1 && files[0] != nil)
        #expect(bench.stub.requests.count == 1 && processor.calls == 1 && serializer.encoded == 1)
    }

    @Test("An image in memory, stored by retrieveImage, is not made again; its file is read")
    func afterImage() async throws {
        let bench = try Bench()
        _ = try await bench.retrieve(nil, options).get()
        let result = try await retrieve(bench).get()
        #expect(result.cacheType == .disk)
        #expect(processor.calls == 1 && serializer.encoded == 1 && serializer.decoded == 0)
    }

    @Test("With cacheMemoryOnly the file is stored in memory only")
    func memoryOnly() async throws {
        let bench = try Bench()
        let made = try await retrieve(bench, nil, [.cacheMemoryOnly]).get()
        #expect(try await retrieve(bench, nil, [.cacheMemoryOnly]).get().cacheType == .memory)
        #expect(bench.filesOnDisk.isEmpty && serializer.encoded == 1)
        #expect(made.format == .PNG)
    }

    @Test("An original stored by its serializer is not used as a processed image's file")
    func serializerOfOriginals() async throws {
        let bench = try Bench(serving: try TestImages.jpeg)
        var serializer = DefaultCacheSerializer()
        serializer.preferCacheOriginalData = true
        let size = CGSize(width: 8, height: 8)
        let own: KingfisherOptionsInfo = [
            .cacheSerializer(serializer), .processor(ResizingImageProcessor(referenceSize: size)),
        ]
        for expected in [CacheType.none, .memory] {
            let result = try await retrieve(bench, nil, own).get()
            #expect(result.cacheType == expected)
            #expect(try TestImages.image(result.data).size == size)
        }
        bench.cache.clearMemoryCache()
        #expect(try TestImages.image(try await retrieve(bench, nil, own).get().data).size == size)
        #expect(bench.stub.requests.count == 1)
    }

    @Test("Without a processor, a serializer that keeps originals gives the downloaded bytes")
    func original() async throws {
        let bench = try Bench(serving: try TestImages.jpeg)
        var serializer = DefaultCacheSerializer()
        serializer.preferCacheOriginalData = true
        for _ in 0..<2 {
            let data: Result<RetrieveDataResult, KingfisherError> = try await outcome {
                bench.manager.retrieveData(
                    with: bench.url, options: [.cacheSerializer(serializer), .waitForCache],
                    completionHandler: $0)
            }
            #expect(try data.get().data == (try TestImages.jpeg))
            bench.cache.clearMemoryCache()
        }
    }

    @Test("forceRefresh makes the file again; fromMemoryCacheOrRefresh skips the disk")
    func refreshing() async throws {
        let bench = try Bench()
        _ = try await retrieve(bench).get()
        #expect(try await retrieve(bench, nil, [.forceRefresh]).get().cacheType == .none)
        #expect(bench.stub.requests.count == 2)
        #expect(try await retrieve(bench, nil, [.fromMemoryCacheOrRefresh]).get().cacheType == .memory)
        bench.cache.clearMemoryCache()
        #expect(try await retrieve(bench, nil, [.fromMemoryCacheOrRefresh]).get().cacheType == .none)
        #expect(bench.stub.requests.count == 3)
    }

    @Test("onlyFromCache fails with imageNotExisting if no cache has the image")
    func onlyFromCache() async throws {
        let bench = try Bench()
        let missing = try await retrieve(bench, nil, [.onlyFromCache])
        #expect(reason(missing) == "imageNotExisting")
        _ = try await retrieve(bench).get()
        bench.cache.clearMemoryCache()
        #expect(try await retrieve(bench, nil, [.onlyFromCache]).get().cacheType == .disk)
    }

    @Test("A serializer that returns nil fails the request")
    func notEncodable() async throws {
        let bench = try Bench()
        let mute = CountingSerializer { _, _ in nil }
        let result = try await retrieve(bench, nil, [.cacheSerializer(mute)])
        #expect(reason(result) == "cannotSerializeImage")
    }

    @Test("An image that was replaced or removed is not delivered as a file again")
    func invalidation() async throws {
        let bench = try Bench()
        let old = try await retrieve(bench).get().data
        let jpeg = try TestImages.image(try TestImages.jpeg)
        let parsed = KingfisherParsedOptionsInfo(options)
        try await bench.cache.store(jpeg, forKey: bench.url.cacheKey, options: parsed)
        let new = try await retrieve(bench).get()
        #expect(new.cacheType == .disk && new.data != old)
        try await bench.cache.removeImage(forKey: bench.url.cacheKey, processorIdentifier: "p")
        #expect(try await retrieve(bench, nil, [.tags(["a"])]).get().data == old)
        #expect(bench.stub.requests.count == 2)
        try await bench.cache.removeImages(tagged: ["a"])
        #expect(try await retrieve(bench).get().cacheType == .none)
        #expect(bench.stub.requests.count == 3)
    }

    @Test("A file that is read while its image is removed is not stored in memory", arguments: 0..<3)
    func removedWhileRead(_ method: Int) async throws {
        let bench = try Bench()
        _ = try await retrieve(bench, nil, [.tags(["a"])]).get()
        bench.cache.clearMemoryCache()
        let (key, valve) = (bench.url.cacheKey.computedKey(with: "p"), Valve())
        bench.cache.diskQueue.run(key: key) { valve.pass() }
        let inbox = Inbox<CacheType?>()
        bench.manager.retrieveData(with: bench.url, options: options + [.callbackQueue(.untouch)]) {
            inbox.put(try? $0.get().cacheType)
        }
        switch method {
        case 0:
            bench.cache.removeImage(
                forKey: bench.url.cacheKey, processorIdentifier: "p", completionHandler: {})
        case 1: bench.cache.removeImages(tagged: ["a"], completionHandler: { _ in })
        default: bench.cache.clearCache(completion: {})
        }
        valve.open()
        #expect(try await inbox.first() == .disk)
        try await bench.cache.settle()
        #expect(await poll { bench.cache.encodedStorage.totalCacheCost() == 0 })
        #expect(bench.filesOnDisk.isEmpty)
    }

    @Test("A new file replaces the pixels in memory")
    func replacesPixels() async throws {
        let bench = try Bench()
        _ = try await bench.retrieve(nil, options).get()
        _ = try await retrieve(bench, nil, [.forceRefresh]).get()
        #expect(bench.cache.memoryStorage.totalCacheCost() == 0)
    }

    @Test("A retained task does not retain a finished request")
    func retainedTask() async throws {
        let bench = try Bench()
        let inbox = Inbox<Void>()
        let task = bench.manager.retrieveData(
            with: bench.url, options: options + [.callbackQueue(.untouch)]
        ) { _ in inbox.put() }
        try await inbox.first()
        #expect(task != nil)
        #expect(await poll { bench.cache.traffic.count == 0 })
        withExtendedLifetime(task) {}
    }

    @Test("A key that equals another key plus its extension has a separate file")
    func similarKeys() async throws {
        let (png, jpeg) = (try TestImages.png, try TestImages.jpeg)
        let bench = try Bench { $0.url?.path == "/jpeg" ? .ok(jpeg) : .ok(png) }
        let url = try #require(URL(string: "http://stub.invalid/jpeg"))
        let first = Source.network(KF.ImageResource(downloadURL: bench.url, cacheKey: "photo"))
        let second = Source.network(KF.ImageResource(downloadURL: url, cacheKey: "photo.png"))
        let plain: KingfisherOptionsInfo = [.processor(DefaultImageProcessor.default)]
        let one = try await retrieve(bench, first, plain + [.forcedCacheFileExtension("png")]).get()
        let other = try await retrieve(bench, second, plain).get()
        #expect(one.data != other.data)
    }

    @Test("Files of one image with different extensions are separate")
    func extensions() async throws {
        let bench = try Bench()
        let formats: [(String, ImageFormat, FormatIndicatedCacheSerializer)] = [
            ("png", .PNG, .png), ("jpg", .JPEG, .jpeg),
        ]
        for _ in 0..<2 {
            for (suffix, format, serializer) in formats {
                let own: KingfisherOptionsInfo = [
                    .forcedCacheFileExtension(suffix), .cacheSerializer(serializer),
                ]
                #expect(try await retrieve(bench, nil, own).get().format == format)
            }
        }
    }

    @Test("A truncated file is delivered and stored nowhere")
    func partial() async throws {
        let png = try TestImages.png
        let bench = try Bench(serving: png.prefix(png.count / 2))
        for _ in 0..<2 {
            let result = try await retrieve(
                bench, nil, [.processor(DefaultImageProcessor.default), .acceptsPartialImages]
            ).get()
            #expect(result.cacheType == .none)
        }
        #expect(bench.filesOnDisk.isEmpty && bench.cache.encodedStorage.totalCacheCost() == 0)
    }

    @Test("Cancelling completes the request once with a cancellation, in each phase", arguments: 0..<3)
    func cancellation(phase: Int) async throws {
        let bench = try Bench()
        bench.stub.hold()
        let valve = Valve()
        if phase == 0 { bench.cache.diskQueue.barrier { valve.pass() } }
        let inbox = Inbox<Result<RetrieveDataResult, KingfisherError>>()
        let task = bench.manager.retrieveData(
            with: bench.url, options: options + [.callbackQueue(.untouch)]
        ) { inbox.put($0) }
        if phase > 0 { #expect(await poll { !bench.stub.requests.isEmpty }) }
        task?.cancel()
        if phase == 2 { task?.cancel() }
        let result = try await inbox.first()
        #expect(result.failure?.isTaskCancelled == true)
        valve.open()
        try await bench.cache.settle()
        #expect(inbox.count == 1, "No second completion")
        #expect(await poll { bench.cache.traffic.count == 0 })
    }

    @Test("The async variant throws, and is cancelled with its task")
    func asynchronous() async throws {
        let bench = try Bench()
        let file = try await bench.manager.retrieveData(with: bench.url, options: options)
        #expect(file.format == .PNG)
        let pending = try Bench()
        pending.stub.hold()
        let task = Task { try await pending.manager.retrieveData(with: pending.url, options: options) }
        #expect(await poll { !pending.stub.requests.isEmpty })
        task.cancel()
        await #expect(throws: KingfisherError.self) { _ = try await task.value }
    }

    @Test("A stale file is revalidated; a confirmed file is delivered and fresh again")
    func freshness() async throws {
        let rig = try FreshnessRig()
        func retrieve() async throws -> RetrieveDataResult {
            let result = try await rig.manager.retrieveData(
                with: rig.url, options: [.httpCaching, .waitForCache])
            await rig.settle()
            return result
        }
        let first = try await retrieve()
        #expect(try await retrieve().cacheType == .memory)
        rig.clock.advance(by: 61)
        #expect(try await retrieve().data == first.data)
        #expect(rig.askedTags == [nil, "\"1\""])
        #expect(try await retrieve().cacheType == .memory)
        #expect(rig.server.requestCount() == 2)
        rig.clock.advance(by: 61)
        try rig.serveAnother()
        #expect(try await retrieve().data != first.data)
    }

    @Test("A no-store response is delivered and stored nowhere")
    func noStore() async throws {
        let rig = try FreshnessRig("no-store")
        for _ in 0..<2 {
            let result = try await rig.manager.retrieveData(with: rig.url, options: [.httpCaching])
            #expect(result.cacheType == .none)
            await rig.settle()
        }
        #expect(rig.server.requestCount() == 2)
        #expect(rig.cache.encodedStorage.totalCacheCost() == 0)
    }

    @Test("Files are stored in a subclass of ImageCache, too")
    func subclass() async throws {
        // Unchecked: a subclass must repeat the conformance; this one adds no state.
        final class OwnCache: ImageCache, @unchecked Sendable {}
        let folder = try TemporaryFolder()
        let cache = try OwnCache(name: "own", cacheDirectoryURL: folder.url)
        let bench = try Bench()
        for expected in [CacheType.none, .disk] {
            let result = try await retrieve(bench, nil, [.targetCache(cache)]).get()
            #expect(result.format == .PNG && result.cacheType == expected)
        }
    }

    @Test("Encoded images are limited by bytes, to 64 MiB by default")
    func bound() async throws {
        let bench = try Bench()
        #expect(bench.cache.encodedStorage.config.totalCostLimit == 64 << 20)
        let size = try await retrieve(bench).get().data.count
        #expect(bench.cache.encodedStorage.totalCacheCost() == size)
        bench.cache.encodedStorage.config.totalCostLimit = size - 1
        #expect(bench.cache.encodedStorage.totalCacheCost() == 0)
        #expect(try await retrieve(bench).get().cacheType == .disk)
        #expect(bench.cache.encodedStorage.totalCacheCost() == 0)
    }

    @Test("Memory pressure and clearing memory release encoded images")
    func release() async throws {
        let bench = try Bench()
        for release in [{ $0.clearMemoryCache() }, { $0.relieve(.critical) }] as [(ImageCache) -> Void] {
            _ = try await retrieve(bench).get()
            #expect(bench.cache.encodedStorage.totalCacheCost() > 0)
            release(bench.cache)
            #expect(bench.cache.encodedStorage.totalCacheCost() == 0)
        }
    }

    @Test("A request for a file reports its start and its end once")
    func events() async throws {
        let bench = try Bench()
        let collector = EventCollector(of: bench.url)
        _ = try await retrieve(bench).get()
        _ = try await retrieve(bench).get()
        bench.cache.clearMemoryCache()
        _ = try await retrieve(bench).get()
        let ends = collector.events.values.compactMap { event -> String? in
            switch event {
            case .requestBegan: "began"
            case .requestFinished(_, let type, _): "\(type)"
            default: nil
            }
        }
        #expect(ends == ["began", "none", "began", "memory", "began", "disk"])
    }
}

import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing
import TestHelpers

@Suite struct ManagerCacheFlowTests {
    private func type(_ bench: Bench, _ options: KingfisherOptionsInfo = []) async throws -> CacheType {
        try await bench.retrieve(nil, options + [.waitForCache]).get().cacheType
    }

    @Test(
        "The cache type is none, memory, then disk without memory, then none without both",
        .behaviours("M-1"),
        arguments: [false, true])
    func cacheTypes(processed: Bool) async throws {
        let bench = try Bench()
        let options: KingfisherOptionsInfo =
            processed ? [.processor(CroppingImageProcessor(size: CGSize(width: 4, height: 4)))] : []
        #expect(try await type(bench, options) == .none)
        #expect(try await type(bench, options) == .memory)
        bench.cache.clearMemoryCache()
        #expect(try await type(bench, options) == .disk)
        #expect(try await type(bench, options) == .memory)
        bench.cache.clearMemoryCache()
        await bench.cache.clearDiskCache()
        #expect(try await type(bench, options) == .none)
        #expect(bench.stub.requests.count == 2)
    }

    @Test("Images with and without a processor are separate entries", .behaviours("M-1"))
    func separateEntries() async throws {
        let bench = try Bench()
        let options: KingfisherOptionsInfo = [.processor(CountingProcessor("p"))]
        #expect(try await type(bench) == .none)
        bench.cache.clearMemoryCache()
        await bench.cache.clearDiskCache()
        #expect(try await type(bench, options) == .none)
        #expect(try await type(bench) == .none)
        #expect(try await type(bench, options) == .memory)
    }

    @Test(
        "With onlyFromCache, a miss is imageNotExisting with the source's key, without a request",
        .behaviours("M-3"))
    func onlyFromCache() async throws {
        let bench = try Bench()
        let source = Source.network(KF.ImageResource(downloadURL: bench.url, cacheKey: "my key"))
        let error = try await bench.retrieve(source, [.onlyFromCache, .processor(CountingProcessor("p"))])
            .failure
        guard case .cacheError(.imageNotExisting(let key)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(key == "my key")
        #expect(bench.stub.requests.isEmpty)
        #expect(try await bench.retrieve(source, [.waitForCache]).get().cacheType == .none)
        #expect(try await bench.retrieve(source, [.onlyFromCache]).get().cacheType == .memory)
        bench.cache.clearMemoryCache()
        #expect(try await bench.retrieve(source, [.onlyFromCache]).get().cacheType == .disk)
    }

    @Test("forceRefresh ignores the caches and stores the image again", .behaviours("M-4"))
    func forceRefresh() async throws {
        let bench = try Bench()
        #expect(try await type(bench) == .none)
        let first = bench.cache.retrieveImageInMemoryCache(forKey: bench.url.cacheKey)
        let second = try await bench.retrieve(nil, [.forceRefresh, .waitForCache]).get()
        #expect(second.cacheType == .none)
        #expect(second.image !== first)
        #expect(bench.cache.retrieveImageInMemoryCache(forKey: bench.url.cacheKey) === second.image)
        #expect(bench.stub.requests.count == 2)
    }

    @Test(
        "fromMemoryCacheOrRefresh uses memory, even without the disk, and downloads otherwise",
        .behaviours("M-5"))
    func memoryOrRefresh() async throws {
        let bench = try Bench()
        #expect(try await type(bench) == .none)
        await bench.cache.clearDiskCache()
        #expect(try await type(bench, [.fromMemoryCacheOrRefresh]) == .memory)
        #expect(try await type(bench, [.forceRefresh]) == .none)
        bench.cache.clearMemoryCache()
        #expect(bench.cache.imageCachedType(forKey: bench.url.cacheKey) == .disk)
        #expect(try await type(bench, [.fromMemoryCacheOrRefresh]) == .none)
        #expect(bench.stub.requests.count == 3)
        #expect(bench.cache.imageCachedType(forKey: bench.url.cacheKey) == .memory)
        #expect(bench.cache.diskStorage.isCached(forKey: bench.url.cacheKey))
    }

    @Test(
        "An image that is being written and is not in memory is downloaded again", .behaviours("M-5"))
    func memoryOrRefreshWhileWriting() async throws {
        let bench = try Bench()
        let latch = Latch()
        let serializer = CountingSerializer { image, original in
            latch.wait() ? DefaultCacheSerializer.default.data(with: image, original: original) : nil
        }
        let options: KingfisherOptionsInfo = [.cacheSerializer(serializer), .memoryCacheExpiration(.expired)]
        #expect(try await bench.retrieve(nil, options).get().cacheType == .none)
        let again = try await bench.retrieve(nil, options + [.fromMemoryCacheOrRefresh]).get()
        #expect(again.cacheType == .none)
        #expect(bench.stub.requests.count == 2)
        latch.open()
        latch.open()
        try await bench.cache.settle()
    }

    @Test("Concurrent requests for a file read and decode it once")
    func sameFileOnce() async throws {
        let bench = try await Bench(caching: TestImages.png)
        let (serializer, inbox) = (CountingSerializer(), Inbox<CacheType?>())
        for _ in 0..<20 {
            bench.manager.retrieveImage(with: bench.url, options: [.cacheSerializer(serializer)]) {
                inbox.put(try? $0.get().cacheType)
            }
        }
        let types = try await inbox.first(20)
        #expect(types.count { $0 == .disk } == 1)
        #expect(types.count { $0 == .memory } == 19)
        #expect(serializer.decoded == 1)
    }

    @Test(
        "A request cancelled while its file is decoded puts nothing into memory", .behaviours("S-2"))
    func cancelledWhileDecoding() async throws {
        let bench = try await Bench(caching: TestImages.png)
        let tasks = Inbox<DownloadTask>()
        let started = Latch()
        let serializer = CancellingSerializer {
            _ = started.wait()
            tasks.values.first?.cancel()
        }
        let inbox = Inbox<Result<RetrieveImageResult, KingfisherError>>()
        let returned = bench.manager.retrieveImage(
            with: bench.url, options: [.cacheSerializer(serializer)]
        ) { inbox.put($0) }
        tasks.put(try #require(returned))
        started.open()
        #expect(reason(try await inbox.first()) == "taskCancelled")
        try await bench.cache.settle()
        #expect(bench.cache.imageCachedType(forKey: bench.url.cacheKey) == .disk)
        #expect(bench.stub.requests.isEmpty)
        await passMainQueue()
        #expect(inbox.count == 1)
    }

    @Test("With waitForCache the completion follows the disk write", .behaviours("M-6"))
    func waitForCache() async throws {
        let bench = try Bench()
        let key = bench.url.cacheKey
        let onDisk: Bool = try await outcome { done in
            bench.manager.retrieveImage(
                with: bench.url, options: [.waitForCache, .callbackQueue(.untouch)]
            ) { _ in done(bench.cache.diskStorage.isCached(forKey: key)) }
        }
        #expect(onDisk)
    }

    @Test(
        "Without waitForCache the completion follows the memory store and precedes a slow disk write",
        .behaviours("M-6"))
    func doNotWaitForCache() async throws {
        let bench = try Bench()
        let latch = Latch()
        let serializer = CountingSerializer { image, original in
            latch.wait() ? DefaultCacheSerializer.default.data(with: image, original: original) : nil
        }
        let types: [CacheType] = try await outcome { done in
            bench.manager.retrieveImage(
                with: bench.url, options: [.callbackQueue(.untouch), .cacheSerializer(serializer)]
            ) { result in
                done([
                    (try? result.get().cacheType) ?? .disk,
                    bench.cache.imageCachedType(forKey: bench.url.cacheKey),
                ])
            }
        }
        #expect(types == [.none, .memory])
        #expect(bench.filesOnDisk.isEmpty)
        latch.open()
        try await bench.cache.settle()
        #expect(bench.filesOnDisk.count == 1)
    }

    @Test("cacheMemoryOnly writes nothing to disk, and completes with waitForCache, too")
    func memoryOnly() async throws {
        let bench = try Bench()
        #expect(try await type(bench, [.cacheMemoryOnly]) == .none)
        try await bench.cache.settle()
        #expect(bench.filesOnDisk.isEmpty)
        #expect(bench.cache.imageCachedType(forKey: bench.url.cacheKey) == .memory)
    }

    @Test("A forced extension applies to writes, lookups and originals", .behaviours("M-23"))
    func forcedExtension() async throws {
        let bench = try Bench()
        let forced = KingfisherOptionsInfoItem.forcedCacheFileExtension("jpg")
        let options: KingfisherOptionsInfo = [
            forced, .cacheOriginalImage, .processor(CountingProcessor("p")),
        ]
        #expect(try await type(bench, options) == .none)
        #expect(bench.filesOnDisk.count == 2)
        #expect(bench.filesOnDisk.allSatisfy { $0.hasSuffix(".jpg") })
        bench.cache.clearMemoryCache()
        #expect(try await type(bench, options) == .disk)
        bench.cache.clearMemoryCache()
        // Made from the original, which also has the extension.
        let other = CountingProcessor("q")
        #expect(try await type(bench, [forced, .processor(other)]) == .none)
        #expect(other.calls == 1)
        #expect(bench.filesOnDisk.count == 3)
        #expect(bench.filesOnDisk.allSatisfy { $0.hasSuffix(".jpg") })
        #expect(bench.stub.requests.count == 1)
        // Without the extension none of these files is found.
        #expect(reason(try await bench.retrieve(nil, [.onlyFromCache])) == "imageNotExisting")
    }

    @Test("loadDiskFileSynchronously completes before the call returns")
    func synchronousDisk() async throws {
        let bench = try Bench()
        #expect(try await type(bench) == .none)
        bench.cache.clearMemoryCache()
        let inbox = Inbox<CacheType?>()
        bench.manager.retrieveImage(
            with: bench.url, options: [.loadDiskFileSynchronously, .callbackQueue(.untouch)]
        ) { inbox.put(try? $0.get().cacheType) }
        #expect(inbox.values == [.disk])
    }
}

private struct CancellingSerializer: CacheSerializer {
    let beforeDecoding: @Sendable () -> Void

    func data(with image: Image, original: Data?) -> Data? { original }

    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> Image? {
        beforeDecoding()
        return DefaultCacheSerializer.default.image(with: data, options: options)
    }
}

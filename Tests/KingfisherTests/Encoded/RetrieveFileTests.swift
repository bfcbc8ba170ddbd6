import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// Files that are loaded first if they are not cached.
@Suite struct RetrieveFileTests {
    private let bench: Bench
    private let processor = CountingProcessor("p")
    private let serializer = CountingSerializer()

    init() throws { bench = try Bench() }

    private func file(
        _ options: KingfisherOptionsInfo = [], source: Source? = nil
    ) async throws -> CachedImageFile {
        try await bench.manager.retrieveFile(
            with: source ?? .network(bench.url),
            options: [.processor(processor), .cacheSerializer(serializer)] + options)
    }

    private var stored: Data? {
        get throws { try bench.cache.diskStorage.value(forKey: bench.url.cacheKey.computedKey(with: "p")) }
    }

    @Test("The image is loaded once; its file is not decoded again") func places() async throws {
        let made = try await file()
        #expect(try made.read(count: .max) == stored && made.mediaType == "image/png")
        bench.cache.clearMemoryCache()
        #expect(try await file().entityTag == made.entityTag)
        #expect(bench.stub.requests.count == 1 && processor.calls == 1 && serializer.decoded == 0)
    }

    @Test("An image in memory without a file is stored again, without its modifier") func evictedFile()
        async throws
    {
        let modifier = CountingModifier()
        let made = try await file([.imageModifier(modifier)])
        await bench.cache.clearDiskCache()
        #expect(try await file([.imageModifier(modifier)]).entityTag == made.entityTag)
        #expect(bench.stub.requests.count == 1 && processor.calls == 1 && modifier.calls == 0)
    }

    @Test("For a serializer of original data, an image in memory without a file is loaded again")
    func evictedOriginal() async throws {
        let serializer = CountingSerializer(originalDataUsed: true) { $1 }
        let made = try await file([.cacheSerializer(serializer)])
        #expect(try made.read(count: .max) == TestImages.png)
        await bench.cache.clearDiskCache()
        #expect(try await file([.cacheSerializer(serializer)]).entityTag == made.entityTag)
        #expect(bench.stub.requests.count == 2)
        await bench.cache.clearDiskCache()
        await #expect(throws: KingfisherError.self) {
            _ = try await file([.cacheSerializer(serializer), .onlyFromCache])
        }
        #expect(bench.stub.requests.count == 2)
    }

    @Test("A task that is cancelled already gets no file, even of a cached image") func cancelledBefore()
        async throws
    {
        _ = try await file()
        let gate = Gate()
        let task = Task {
            await gate.pass()
            _ = try await file()
        }
        task.cancel()
        gate.open()
        #expect(await task.result.failure is CancellationError)
    }

    @Test("forceRefresh and fromMemoryCacheOrRefresh do not use a file on disk") func refreshing()
        async throws
    {
        _ = try await file()
        _ = try await file([.forceRefresh])
        #expect(bench.stub.requests.count == 2)
        bench.cache.clearMemoryCache()
        _ = try await file([.fromMemoryCacheOrRefresh])
        #expect(bench.stub.requests.count == 3)
    }

    @Test("An alternative source gives its own file") func alternativeSource() async throws {
        let png = try TestImages.png
        let bench = try Bench { $0.url?.lastPathComponent == "good.png" ? .ok(png) : StubAnswer(status: 404) }
        let good = try #require(URL(string: "http://stub.invalid/good.png"))
        let file = try await bench.manager.retrieveFile(
            with: bench.url, options: [.alternativeSources([.network(good)])])
        #expect(try file.read(count: .max) == bench.cache.diskStorage.value(forKey: good.cacheKey))
        #expect(
            bench.cache.isCached(forKey: good.cacheKey) && !bench.cache.isCached(forKey: bench.url.cacheKey))
    }

    @Test("An image that is not stored on disk, and one that is missing, fail with imageNotExisting")
    func notStored() async throws {
        for option in [KingfisherOptionsInfoItem.onlyFromCache, .cacheMemoryOnly] {
            let error = await #expect(throws: KingfisherError.self) { _ = try await file([option]) }
            #expect(error?.reasonName == "imageNotExisting")
        }
        // Now it is in memory.
        let error = await #expect(throws: KingfisherError.self) { _ = try await file([.cacheMemoryOnly]) }
        #expect(error?.reasonName == "imageNotExisting" && processor.calls == 1)
        #expect(bench.filesOnDisk.isEmpty)
    }

    @Test("A failed load fails with its error; a cancelled one with a cancellation") func failures()
        async throws
    {
        let broken = try Bench { _ in StubAnswer(status: 500) }
        let error = await #expect(throws: KingfisherError.self) {
            _ = try await broken.manager.retrieveFile(with: broken.url)
        }
        #expect(error?.isInvalidResponseStatusCode(500) == true)
        bench.stub.hold()
        let (manager, url, stub) = (bench.manager, bench.url, bench.stub)
        let task = Task { _ = try await manager.retrieveFile(with: url) }
        #expect(await poll { stub.requests.count == 1 })
        task.cancel()
        #expect((await task.result.failure as? KingfisherError)?.isTaskCancelled == true)
        #expect(await poll { stub.liveTransfers == 0 })
    }

    @Test("With httpCaching a stale file is revalidated, and replaced if the server has another image")
    func freshness() async throws {
        let rig = try FreshnessRig()
        func file() async throws -> CachedImageFile {
            let file = try await rig.manager.retrieveFile(with: rig.url, options: [.httpCaching])
            await rig.settle()
            return file
        }
        let first = try await file()
        _ = try await file()
        #expect(rig.server.requestCount() == 1)
        rig.clock.advance(by: 61)
        #expect(try await file().entityTag == first.entityTag)
        #expect(rig.server.requestCount() == 2)
        rig.clock.advance(by: 61)
        try rig.serveAnother()
        #expect(try await file().read(count: .max) != first.read(count: .max))
        #expect(rig.server.requestCount() == 3)
        #expect(first.mediaType == "image/png")
    }
}

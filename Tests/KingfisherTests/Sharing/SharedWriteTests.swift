import Foundation
import KingfisherTestSupport
import Testing
import TestHelpers

@testable import Kingfisher
@testable import KingfisherConcurrency

/// C-1 and M-6: concurrent stores of one image share a write, and each completes.
@Suite struct SharedWriteTests {
    private let rig: SharingRig

    init() throws { rig = try SharingRig() }

    @Test(
        "100 concurrent stores of one image serialise and write once and complete 100 times",
        .behaviours("C-1")
    )
    func storing() async throws {
        let (image, serializer) = (try TestImages.image, CountingSerializer())
        let (valve, inbox) = (Valve(), Inbox<CacheStoreResult>())
        let queue = MarkedQueue()
        let onQueue = Inbox<Bool>()
        rig.cache.diskQueue.run(key: "key") { valve.pass() }
        for number in 0..<100 {
            rig.cache.store(
                image, forKey: "key", cacheSerializer: serializer,
                callbackQueue: number % 2 == 0 ? .dispatch(queue.queue) : .untouch
            ) {
                if number % 2 == 0 { onQueue.put(queue.isCurrent) }
                inbox.put($0)
            }
        }
        #expect(inbox.count == 0)
        valve.open()
        for result in try await inbox.first(100) { try result.diskCacheResult.get() }
        #expect(serializer.encoded == 1 && rig.writtenFiles == 1)
        #expect(onQueue.values == Array(repeating: true, count: 50))
    }

    @Test("A failed write fails every store", .behaviours("C-23"))
    func failing() async throws {
        let (image, valve, inbox) = (try TestImages.image, Valve(), Inbox<CacheStoreResult>())
        let serializer = CountingSerializer { _, _ in nil }
        rig.cache.diskQueue.run(key: "key") { valve.pass() }
        for _ in 0..<10 {
            rig.cache.store(image, forKey: "key", cacheSerializer: serializer) { inbox.put($0) }
        }
        valve.open()
        let reasons = try await inbox.first(10).map { reason($0.diskCacheResult) }
        #expect(reasons == Array(repeating: "cannotSerializeImage", count: 10))
        #expect(serializer.encoded == 1)
    }

    @Test("The last of several images under one key is on disk")
    func lastWins() async throws {
        let images = try [TestImages.image(TestImages.png), TestImages.image(TestImages.jpeg)]
        let inbox = Inbox<CacheStoreResult>()
        for number in [0, 1, 0, 0, 1] { rig.cache.store(images[number], forKey: "key") { inbox.put($0) } }
        _ = try await inbox.first(5)
        #expect(rig.writtenFiles == 4)
        let found = try await rig.cache.retrieveImageInDiskCache(forKey: "key")
        #expect(found?.size == images[1].size)
    }

    @Test("Concurrent stores and removals of one key leave the result of the last one")
    func order() async throws {
        let images = try [TestImages.image(TestImages.png), TestImages.image(TestImages.jpeg)]
        let cache = rig.cache
        cache.traffic.register("key")
        for _ in 0..<300 {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    DispatchQueue.concurrentPerform(iterations: 6) { number in
                        if number % 3 == 2 {
                            cache.removeImage(forKey: "key", completionHandler: nil)
                        } else {
                            cache.store(images[number % 3], forKey: "key", completionHandler: nil)
                        }
                    }
                    continuation.resume()
                }
            }
            try await cache.settle()
            let found = try await cache.retrieveImageInDiskCache(forKey: "key")
            #expect(found?.size == cache.traffic.stored(forKey: "key").image?.size)
        }
    }

    @Test("An image removed in between is written again")
    func removal() async throws {
        let (image, valve) = (try TestImages.image, Valve())
        rig.cache.diskQueue.run(key: "key") { valve.pass() }
        rig.cache.store(image, forKey: "key", completionHandler: nil)
        rig.cache.removeImage(forKey: "key", completionHandler: nil)
        rig.cache.store(image, forKey: "key", completionHandler: nil)
        valve.open()
        try await rig.settle()
        #expect(rig.cache.diskStorage.isCached(forKey: "key"))
        #expect(rig.writtenFiles == 2)
    }

    /// How a file may be lost after it was written.
    enum Loss: CaseIterable {
        case deletedFile, deletedFolder, expired, swept
    }

    @Test(
        "Storing an image again after its file was lost writes the file, also while the key is in use",
        .behaviours("C-1", "C-13"),
        arguments: Loss.allCases)
    func lostFile(loss: Loss) async throws {
        let (folder, clock) = (try TemporaryFolder(), ManualClock())
        let cache = try ImageCache.make(in: folder, clock: clock)
        let image = try TestImages.image
        let options = KingfisherParsedOptionsInfo([
            .diskCacheExpiration(.seconds(10)), .callbackQueue(.untouch),
        ])
        func store() async throws {
            let result: CacheStoreResult = try await outcome {
                cache.store(image, forKey: "key", options: options, completionHandler: $0)
            }
            try result.diskCacheResult.get()
        }
        // While a request is active, the traffic remembers stored images.
        cache.traffic.register("key")
        try await store()
        let file = try #require(cache.cacheFileURLIfOnDisk(forKey: "key"))
        switch loss {
        case .deletedFile: try FileManager.default.removeItem(at: file)
        case .deletedFolder: try FileManager.default.removeItem(at: cache.diskStorage.directoryURL)
        case .expired: clock.advance(by: 11)
        case .swept:
            cache.diskStorage.config.sizeLimit = 1
            await cache.cleanExpiredDiskCache()
        }
        #expect(!cache.diskStorage.isCached(forKey: "key"))
        try await store()
        #expect(cache.diskStorage.isCached(forKey: "key"))
    }

    @Test(
        "Storing an image again while its key is in use writes no file and renews its expiration",
        .behaviours("C-1")
    )
    func repeatedStore() async throws {
        let (folder, clock) = (try TemporaryFolder(), ManualClock())
        let cache = try ImageCache.make(in: folder, clock: clock)
        let (image, serializer) = (try TestImages.image, CountingSerializer())
        let options = KingfisherParsedOptionsInfo([
            .diskCacheExpiration(.seconds(10)), .cacheSerializer(serializer), .callbackQueue(.untouch),
        ])
        cache.traffic.register("key")
        for _ in 0..<3 {
            let result: CacheStoreResult = try await outcome {
                cache.store(image, forKey: "key", options: options, completionHandler: $0)
            }
            try result.diskCacheResult.get()
            clock.advance(by: 8)
            #expect(cache.diskStorage.isCached(forKey: "key"))
        }
        #expect(serializer.encoded == 1)
        clock.advance(by: 3)
        #expect(!cache.diskStorage.isCached(forKey: "key"))
    }

    @Test("A repeated store with .withoutOverwriting fails, also concurrently", .behaviours("C-1"))
    func withoutOverwriting() async throws {
        let (image, valve, inbox) = (try TestImages.image, Valve(), Inbox<CacheStoreResult>())
        let options = KingfisherParsedOptionsInfo([
            .diskStoreWriteOptions(.withoutOverwriting), .callbackQueue(.untouch),
        ])
        rig.cache.traffic.register("key")
        rig.cache.diskQueue.run(key: "key") { valve.pass() }
        for _ in 0..<3 { rig.cache.store(image, forKey: "key", options: options) { inbox.put($0) } }
        valve.open()
        let reasons = try await inbox.first(3).map { reason($0.diskCacheResult) }
        #expect(reasons == [nil, "cannotCreateCacheFile", "cannotCreateCacheFile"])
    }

    @Test(
        "100 callers of one URL make one request and write each image and the original once",
        .behaviours("M-6", "M-7"),
        arguments: [[], [.memoryCacheExpiration(.expired)]] as [KingfisherOptionsInfo], [false, true])
    func download(way: KingfisherOptionsInfo, isForced: Bool) async throws {
        let (processor, serializer) = (CountingProcessor("p"), CountingSerializer())
        rig.stub.hold()
        let more: KingfisherOptionsInfo = isForced ? [.forceRefresh] : []
        let waiting = Locked(0)
        let key = rig.key
        let called = await rig.call(100) { number in
            way + more + [
                .processor(processor), .cacheSerializer(serializer), .cacheOriginalImage,
                .originalCache(self.rig.originals),
            ] + (number % 2 == 0 ? [.waitForCache] : [])
        }
        try await rig.settle()
        rig.stub.release()
        for (number, outcome) in try await called.first(100) {
            _ = try outcome.get()
            if number % 2 == 0 {
                #expect(rig.cache.diskStorage.isCached(forKey: "\(key)@p"))
                #expect(rig.originals.diskStorage.isCached(forKey: key))
                waiting.withLock { $0 += 1 }
            }
        }
        try await rig.settle()
        #expect(waiting.withLock { $0 } == 50)
        #expect(rig.stub.requests.count == 1 && processor.calls == 1)
        #expect(serializer.encoded == 1 && rig.writtenFiles == 2)
        #expect(rig.cache.traffic.count == 0 && rig.originals.traffic.count == 0)
    }

    @Test("Managers with one cache and one downloader share a download", arguments: 0..<5)
    func managers(round: Int) async throws {
        let processor = CountingProcessor("p")
        let others = (0..<8).map { _ in
            KingfisherManager(downloader: rig.manager.downloader, cache: rig.cache)
        }
        let url = rig.url
        rig.stub.hold()
        let inbox = Inbox<SharingRig.Outcome>()
        for number in 0..<160 {
            if number == 80 { rig.stub.release() }
            others[number % 8].retrieveImage(
                with: url, options: [.processor(processor), .memoryCacheExpiration(.expired)]
            ) { inbox.put($0) }
        }
        for outcome in try await inbox.first(160) { _ = try outcome.get() }
        #expect(rig.stub.requests.count == 1 && processor.calls == 1)
    }
}

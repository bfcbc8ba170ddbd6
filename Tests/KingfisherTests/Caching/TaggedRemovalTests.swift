import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher
@testable import KingfisherConcurrency

struct TaggedRemovalTests {
    private func isCached(_ bench: Bench, _ url: URL, _ identifier: String = "") -> CacheType {
        bench.cache.imageCachedType(forKey: url.cacheKey, processorIdentifier: identifier)
    }

    @Test("Images with one of the tags are removed from memory and disk; all others stay")
    func tags() async throws {
        let bench = try Bench()
        let urls = (0..<4).map { _ in Bench.freshURL() }
        let tags = [["a"], ["b", "a"], ["b"], []]
        for (url, tags) in zip(urls, tags) {
            _ = try await bench.retrieve(url, [.tags(tags), .waitForCache]).get()
        }
        #expect(try await bench.cache.removeImages(tagged: ["a", "unused"]) == 2)
        #expect(urls.map { isCached(bench, $0) } == [.none, .none, .memory, .memory])
        bench.cache.clearMemoryCache()
        #expect(urls.map { isCached(bench, $0) } == [.none, .none, .disk, .disk])
    }

    @Test("An image that was read from disk still has its tags in memory")
    func readFromDisk() async throws {
        let bench = try Bench()
        _ = try await bench.retrieve(nil, [.tags(["a"]), .waitForCache]).get()
        bench.cache.clearMemoryCache()
        #expect(try await bench.retrieve().get().cacheType == .disk)
        #expect(isCached(bench, bench.url) == .memory)
        #expect(try await bench.cache.removeImages(tagged: ["a"]) == 1)
        #expect(isCached(bench, bench.url) == .none)
    }

    @Test("The original that a tagged request stores is tagged, too")
    func original() async throws {
        let bench = try Bench()
        _ = try await bench.retrieve(
            nil, [.processor(CountingProcessor("p")), .cacheOriginalImage, .tags(["a"]), .waitForCache]
        ).get()
        #expect(bench.filesOnDisk.count == 2)
        #expect(try await bench.cache.removeImages(tagged: ["a"]) == 2)
        #expect(bench.filesOnDisk.isEmpty)
    }

    @Test("Storing an image again without tags, as a request that shares its download does, keeps them")
    func storedAgain() async throws {
        let bench = try Bench()
        let image = try TestImages.image
        var options = KingfisherParsedOptionsInfo([.tags(["a"])])
        try await bench.cache.store(image, forKey: "key", options: options)
        options.tags = []
        try await bench.cache.store(image, forKey: "key", options: options)
        #expect(try await bench.cache.removeImages(tagged: ["a"]) == 1)
    }

    @Test("An image that another request stores without tags has none")
    func replaced() async throws {
        let bench = try Bench()
        _ = try await bench.retrieve(nil, [.tags(["a"]), .waitForCache]).get()
        _ = try await bench.retrieve(nil, [.forceRefresh, .waitForCache]).get()
        #expect(try await bench.cache.removeImages(tagged: ["a"]) == 0)
        #expect(isCached(bench, bench.url) == .memory)
    }

    @Test("A file whose write is pending when its tag is removed is not found afterwards")
    func pendingWrite() async throws {
        let bench = try Bench()
        let serializer = GatedEncoder()
        let options = KingfisherParsedOptionsInfo([.tags(["a"]), .cacheSerializer(serializer)])
        bench.cache.store(try TestImages.image, forKey: "key", options: options, completionHandler: { _ in })
        _ = try await serializer.valve.insertions.first()
        let removed = Inbox<Int?>()
        bench.cache.removeImages(tagged: ["a"]) { removed.put(try? $0.get()) }
        let (later, stored) = (try TestImages.image, Inbox<Void>())
        bench.cache.store(
            later, forKey: "later", options: KingfisherParsedOptionsInfo([.tags(["a"])]),
            completionHandler: { _ in stored.put(()) })
        serializer.valve.open()
        #expect(try await removed.first() == 1)
        _ = try await stored.first()
        #expect(bench.cache.isCached(forKey: "later"))
        try await bench.cache.removeImage(forKey: "later")
        #expect(!bench.cache.isCached(forKey: "key"))
        #expect(bench.filesOnDisk.isEmpty)
    }

    @Test("Pending files of a key are removed, except one that was stored without the tag")
    func pendingFiles() async throws {
        let bench = try Bench()
        let valve = Valve()
        bench.cache.diskQueue.run(key: "key") { valve.pass() }
        for (suffix, tags) in [("a", ["a"]), ("b", ["a"]), ("c", ["a"]), ("c", [])] {
            bench.cache.store(
                try TestImages.image, forKey: "key",
                options: KingfisherParsedOptionsInfo([.tags(tags), .forcedCacheFileExtension(suffix)]),
                completionHandler: { _ in })
        }
        let removed = Inbox<Int?>()
        bench.cache.removeImages(tagged: ["a"]) { removed.put(try? $0.get()) }
        valve.open()
        #expect(try await removed.first() == 2)
        #expect(bench.filesOnDisk.map { $0.suffix(2) } == [".c"])
    }

    @Test("An image stored during a scan of the files stays")
    func storedDuringScan() async throws {
        let clock = ManualClock()
        let folder = try TemporaryFolder()
        let cache = try ImageCache.make(in: folder, clock: clock)
        let options = KingfisherParsedOptionsInfo([.tags(["a"])])
        try await cache.store(try TestImages.image, forKey: "key", options: options)
        let date = clock.now
        clock.advance(by: 1)
        try await cache.store(try TestImages.image, forKey: "other", options: options)
        #expect(try cache.diskStorage.removeEntries(in: .tagged(["a"]), storedUntil: date) == 1)
        #expect(cache.diskStorage.isCached(forKey: "other") && !cache.diskStorage.isCached(forKey: "key"))
        // The file was stored before the clock was set back.
        clock.advance(by: -10)
        #expect(try cache.diskStorage.removeEntries(in: .tagged(["a"]), storedUntil: clock.now) == 1)
    }

    @Test("Keys with a common prefix are removed with their processed images, from memory and disk")
    func keyPrefix() async throws {
        let bench = try Bench()
        bench.cache.diskStorage.config.recordsKeys = true
        let keys = ["user/1/a", "user/1/b", "user/10", "user/2", "USER/1/"]
        for key in keys {
            let source = Source.network(KF.ImageResource(downloadURL: Bench.freshURL(), cacheKey: key))
            _ = try await bench.retrieve(source, [.waitForCache]).get()
            _ = try await bench.retrieve(source, [.waitForCache, .processor(CountingProcessor("p"))]).get()
        }
        #expect(try await bench.cache.removeImages(keyPrefix: "user/1/") == 4)
        for identifier in ["", "p"] {
            let types = keys.map {
                bench.cache.imageCachedType(forKey: $0, processorIdentifier: identifier)
            }
            #expect(types == [.none, .none, .memory, .memory, .memory])
        }
        bench.cache.clearMemoryCache()
        #expect(keys.map { bench.cache.isCached(forKey: $0) } == [false, false, true, true, true])
        #expect(try await bench.cache.removeImages(keyPrefix: "") == 6)
        #expect(bench.filesOnDisk.isEmpty)
    }

    @Test("Without recorded keys a prefix fails; memory and tagged files are still searched")
    func unrecordedKey() async throws {
        let bench = try Bench()
        try await bench.cache.store(try TestImages.image, forKey: "key")
        try await bench.cache.store(
            try TestImages.image, forKey: "key-2", options: KingfisherParsedOptionsInfo([.tags(["a"])]))
        let error = await #expect(throws: KeysNotRecorded.self) {
            try await bench.cache.removeImages(keyPrefix: "key")
        }
        #expect(error?.removedFiles == 1)
        #expect(bench.cache.imageCachedType(forKey: "key") == .disk)
        #expect(!bench.cache.isCached(forKey: "key-2"))
    }

    @Test("A tag or key of several thousand bytes does not fail the store")
    func longNames() async throws {
        let bench = try Bench()
        let long = String(repeating: "x", count: 70_000)
        try await bench.cache.store(
            try TestImages.image, forKey: long, options: KingfisherParsedOptionsInfo([.tags([long])]))
        bench.cache.clearMemoryCache()
        #expect(bench.cache.isCached(forKey: long))
    }

    @Test("A 304 response keeps the tags of a file")
    func renewed() async throws {
        let rig = try FreshnessRig()
        try await rig.loadAndAge([.tags(["a"])])
        try await rig.expect(.memory, requests: 1)
        #expect(try rig.records()?.map(\.kind) == [.httpFreshness, .key, .tag])
        #expect(try await rig.cache.removeImages(tagged: ["a"]) == 1)
    }
}

/// A serializer that waits at a valve before it encodes.
private final class GatedEncoder: CacheSerializer {
    let valve = Valve()

    func data(with image: Image, original: Data?) -> Data? {
        valve.pass()
        return DefaultCacheSerializer.default.data(with: image, original: original)
    }

    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> Image? {
        DefaultCacheSerializer.default.image(with: data, options: options)
    }
}

import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing
import TestHelpers

@Suite struct ManagerOriginalTests {
    private func crop(_ side: CGFloat) -> CroppingImageProcessor {
        CroppingImageProcessor(size: CGSize(width: side, height: side))
    }

    @Test(
        "The raw data is stored under the default identifier, on disk only", .behaviours("M-7"),
        arguments: [false, true])
    func keepsOriginal(separate: Bool) async throws {
        let bench = try Bench()
        let other = try Bench()
        let originals = separate ? other.cache : bench.cache
        var options: KingfisherOptionsInfo = [.processor(crop(4)), .cacheOriginalImage, .waitForCache]
        if separate { options.append(.originalCache(originals)) }
        _ = try await bench.retrieve(nil, options).get()
        let key = bench.url.cacheKey
        #expect(originals.imageCachedType(forKey: key) == .disk)
        #expect(try Data(contentsOf: URL(filePath: originals.cachePath(forKey: key))) == TestImages.png)
        #expect(bench.cache.imageCachedType(forKey: key, processorIdentifier: crop(4).identifier) == .memory)
        #expect(bench.filesOnDisk.count == (separate ? 1 : 2))
        #expect(other.filesOnDisk.count == (separate ? 1 : 0))
    }

    @Test(
        "Without the option no original is stored, and the default processor stores nothing extra",
        .behaviours("M-7"))
    func noOriginal() async throws {
        let bench = try Bench()
        _ = try await bench.retrieve(nil, [.processor(crop(4)), .waitForCache]).get()
        #expect(bench.cache.imageCachedType(forKey: bench.url.cacheKey) == .none)
        let plain = try Bench()
        _ = try await plain.retrieve(nil, [.cacheOriginalImage, .waitForCache]).get()
        try await plain.cache.settle()
        #expect(plain.filesOnDisk.count == 1)
    }

    @Test(
        "A missing variant is made from the cached original without a download, and stored",
        .behaviours("M-8")
    )
    func madeOfOriginal() async throws {
        let bench = try await Bench(caching: TestImages.png)
        let processor = CountingProcessor("p")
        let result = try await bench.retrieve(nil, [.processor(processor), .waitForCache]).get()
        #expect(result.cacheType == .none)
        #expect(processor.calls == 1)
        #expect(bench.stub.requests.isEmpty)
        #expect(bench.cache.imageCachedType(forKey: bench.url.cacheKey, processorIdentifier: "p") == .memory)
        bench.cache.clearMemoryCache()
        #expect(bench.cache.imageCachedType(forKey: bench.url.cacheKey, processorIdentifier: "p") == .disk)
    }

    @Test(
        "The data of a variant made from a cached original is the variant's, not the original's",
        .behaviours("M-12"))
    func dataOfVariant() async throws {
        let bench = try await Bench(caching: TestImages.png)
        let result = try await bench.retrieve(nil, [.processor(crop(4))]).get()
        let data = try #require(result.data())
        #expect(try TestImages.image(data).size == CGSize(width: 4, height: 4))
    }

    @Test(
        "With a serializer that keeps originals, an original in memory is processed once",
        .behaviours("M-10"),
        arguments: ["png", "gif"])
    func originalInMemory(format: String) async throws {
        let bench = try Bench(serving: format == "gif" ? TestImages.gif : TestImages.png)
        var serializer = DefaultCacheSerializer()
        serializer.preferCacheOriginalData = true
        let options: KingfisherOptionsInfo = [.cacheSerializer(serializer), .waitForCache]
        let full = try await bench.retrieve(nil, options).get().image.size
        let half = CountingProcessor("half") {
            $0.kf.resize(to: CGSize(width: $0.size.width / 2, height: $0.size.height / 2))
        }
        let size = try await bench.retrieve(nil, options + [.processor(half)]).get().image.size
        #expect(abs(size.width - full.width / 2) <= 1)
        // The second request reads a file that the first has stored.
        for _ in 0..<2 {
            bench.cache.clearMemoryCache()
            let again = try await bench.retrieve(nil, options + [.processor(half)]).get()
            #expect(again.image.size == size)
        }
        #expect(bench.stub.requests.count == 1)
    }

    @Test("A separate original cache is used instead of the target cache", .behaviours("M-8"))
    func separateOriginalCache() async throws {
        let bench = try Bench()
        let other = try Bench()
        try await other.cache.storeToDisk(TestImages.png, forKey: bench.url.cacheKey)
        let options: KingfisherOptionsInfo = [.processor(CountingProcessor("p")), .waitForCache]
        let result = try await bench.retrieve(nil, options + [.originalCache(other.cache)]).get()
        #expect(result.cacheType == .none)
        #expect(bench.stub.requests.isEmpty)
        #expect(bench.filesOnDisk.count == 1)
        #expect(other.filesOnDisk.count == 1)
    }

    @Test("With onlyFromCache, an original can be used", .behaviours("M-8"))
    func onlyFromCache() async throws {
        let bench = try await Bench(caching: TestImages.png)
        let result = try await bench.retrieve(nil, [.processor(CountingProcessor("p")), .onlyFromCache])
        #expect(try result.get().cacheType == .none)
    }

    @Test(
        "A processor that fails on the original gives processingFailed with that processor",
        .behaviours("M-8"))
    func processorFails() async throws {
        let bench = try await Bench(caching: TestImages.png)
        let failing = CountingProcessor("failing") { _ in nil }
        let error = try await bench.retrieve(nil, [.processor(failing)]).failure
        guard case .processorError(.processingFailed(let processor, _)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(processor.identifier == "failing")
        #expect(bench.stub.requests.isEmpty)
    }

    @Test(
        "A corrupt original falls back to the download and completes once", .behaviours("M-9"))
    func garbageOriginal() async throws {
        let bench = try await Bench(caching: TestImages.garbage)
        let inbox = Inbox<Result<RetrieveImageResult, KingfisherError>>()
        bench.manager.retrieveImage(
            with: bench.url, options: [.processor(CountingProcessor("p")), .waitForCache]
        ) { inbox.put($0) }
        #expect(try await inbox.first().get().cacheType == .none)
        #expect(bench.stub.requests.count == 1)
        try await bench.cache.settle()
        await passMainQueue()
        #expect(inbox.count == 1)
    }

    @Test("A cached image that cannot be decoded is downloaded again")
    func garbageTarget() async throws {
        let bench = try await Bench(caching: TestImages.garbage)
        #expect(try await bench.retrieve(nil, [.waitForCache]).get().cacheType == .none)
        #expect(bench.stub.requests.count == 1)
    }

    @Test(
        "With a serializer that keeps originals, a disk hit is processed again; otherwise it is not",
        .behaviours("M-10"))
    func originalDataUsed() async throws {
        for (usesOriginal, expected) in [(true, 2), (false, 1)] {
            let bench = try Bench()
            let processor = CountingProcessor("p")
            let serializer = CountingSerializer(originalDataUsed: usesOriginal) { image, original in
                usesOriginal ? original : DefaultCacheSerializer.default.data(with: image, original: original)
            }
            let options: KingfisherOptionsInfo = [
                .processor(processor), .cacheSerializer(serializer), .waitForCache,
            ]
            _ = try await bench.retrieve(nil, options).get()
            bench.cache.clearMemoryCache()
            let again = try await bench.retrieve(nil, options).get()
            #expect(again.cacheType == .disk)
            #expect(processor.calls == expected)
            #expect(bench.stub.requests.count == 1)
        }
    }

    @Test(
        "An animation made with other creating options is recreated and not stored again", .behaviours("M-13")
    )
    func recreatedAnimation() async throws {
        let bench = try Bench(serving: try TestImages.gif)
        let processor = CountingProcessor("")
        let full: KingfisherOptionsInfo = [.processor(processor), .preloadAllAnimationData]
        let first = try await bench.retrieve(nil, full).get().image
        #expect(try #require(first.images).count > 1)
        #expect(processor.calls == 1)

        let same = try await bench.retrieve(nil, full).get()
        #expect(same.cacheType == .memory)
        #expect(same.image === first)
        #expect(processor.calls == 1)

        let only = try await bench.retrieve(nil, [.processor(processor), .onlyLoadFirstFrame]).get()
        #expect(only.cacheType == .memory)
        #expect(only.image.images == nil)
        #expect(processor.items == [.data, .data])
        #expect(bench.cache.retrieveImageInMemoryCache(forKey: bench.url.cacheKey) === first)
        #expect(bench.stub.requests.count == 1)
    }

    @Test("An image of a single frame is not recreated", .behaviours("M-13"))
    func singleFrame() async throws {
        let bench = try Bench(serving: Fixtures.data(named: "GIF/single.gif"))
        let processor = CountingProcessor("")
        _ = try await bench.retrieve(nil, [.processor(processor), .preloadAllAnimationData]).get()
        _ = try await bench.retrieve(nil, [.processor(processor), .onlyLoadFirstFrame]).get()
        #expect(processor.calls == 1)
    }

    @Test(
        "A scale factor with downsampling keeps points and multiplies pixels", .behaviours("M-22"),
        arguments: [2, 3])
    func scaledDownsampling(scale: Int) async throws {
        let bench = try Bench(serving: Fixtures.data(named: "Photos/badge.png"))
        let processor = DownsamplingImageProcessor(size: CGSize(width: 4, height: 4))
        for type in [CacheType.none, .memory, .disk] {
            if type == .disk { bench.cache.clearMemoryCache() }
            let result = try await bench.retrieve(
                nil, [.processor(processor), .scaleFactor(CGFloat(scale)), .waitForCache]
            ).get()
            #expect(result.cacheType == type)
            #expect(result.image.size == CGSize(width: 4, height: 4))
            #expect(result.image.scale == CGFloat(scale))
            #expect(result.image.pixels?.width == 4 * scale)
        }
    }
}

import Foundation
import KingfisherImage
import KingfisherTestSupport
import Testing
import TestHelpers

@testable import Kingfisher

/// Processed animations from network, provider, memory, disk and cached originals.
@Suite struct FramewiseLoadingTests {
    private let bench: Bench
    private let processor = GreyFixtures.lighter()

    init() throws {
        bench = try Bench(serving: GreyFixtures.file)
    }

    private var options: KingfisherOptionsInfo { [.processor(processor), .processesAnimatedFrames] }

    private func load(_ more: KingfisherOptionsInfo = []) async throws -> RetrieveImageResult {
        try await bench.retrieve(nil, options + more).get()
    }

    @Test("A processed animation is the same from the network, memory and disk", .behaviours("M-1"))
    func tiers() async throws {
        let fetched = try await load([.waitForCache])
        #expect(fetched.cacheType == .none && fetched.image.greysOnDemand == [101, 102, 103])
        let inMemory = try await load()
        #expect(inMemory.cacheType == .memory && inMemory.image === fetched.image)
        bench.cache.clearMemoryCache()
        let calls = processor.calls
        let read = try await load()
        #expect(read.cacheType == .disk && read.image.greysOnDemand == [101, 102, 103])
        #expect(read.image.kf.frameSource?.loopCount == 5)
        #expect((0..<3).map { read.image.kf.frameSource?.duration(at: $0) } == GreyFixtures.durations)
        #expect(processor.calls == calls && bench.stub.requests.count == 1)
    }

    @Test("Still image and animation have separate entries, under identifiers available to users")
    func keys() async throws {
        _ = try await load([.waitForCache])
        let cache = bench.cache
        func isCached(_ processor: any ImageProcessor) -> Bool {
            cache.isCached(forKey: bench.url.cacheKey, processorIdentifier: processor.identifier)
        }
        #expect(isCached(processor.framewise) && !isCached(processor))
        let still = try await bench.retrieve(nil, [.processor(processor), .waitForCache]).get()
        #expect(still.cacheType == .none && still.image.grey == 101)
        #expect(isCached(processor) && bench.filesOnDisk.count == 2)
        let first = try await load([.onlyLoadFirstFrame])
        #expect(first.cacheType == .memory && first.image === still.image)
    }

    @Test("The processed animation is stored in the original's format")
    func onDisk() async throws {
        _ = try await load([.waitForCache])
        let path = bench.cache.cachePath(
            forKey: bench.url.cacheKey, processorIdentifier: processor.framewise.identifier)
        let data = try Data(contentsOf: URL(filePath: path))
        #expect(
            data == MotionCodec.file([101, 102, 103], milliseconds: [40, 250, 70], loopCount: 5))
    }

    @Test("A frame that the processor refused is stored as the previous frame")
    func refusedOnDisk() async throws {
        let options: KingfisherOptionsInfo = [.processor(GreyFixtures.refusing(2)), .processesAnimatedFrames]
        _ = try await bench.retrieve(nil, options + [.waitForCache]).get()
        bench.cache.clearMemoryCache()
        let read = try await bench.retrieve(nil, options).get()
        #expect(read.cacheType == .disk && read.image.greysOnDemand == [101, 101, 103])
    }

    @Test("A processor that changes nothing keeps the file's bytes")
    func passThrough() async throws {
        let same = CountingProcessor("same")
        let image = try await bench.retrieve(
            nil, [.processor(same), .processesAnimatedFrames, .waitForCache]
        ).get().image
        let path = bench.cache.cachePath(
            forKey: bench.url.cacheKey, processorIdentifier: same.framewise.identifier)
        #expect(try Data(contentsOf: URL(filePath: path)) == GreyFixtures.file)
        let all = try await bench.retrieve(
            nil, [.processor(same), .processesAnimatedFrames, .preloadAllAnimationData]
        ).get()
        #expect(all.cacheType == .memory && all.image.greysInMemory == [1, 2, 3] && image !== all.image)
    }

    @Test("Providers and originals on disk or in memory, even a first frame, give the processed animation")
    func originals() async throws {
        let source = Source.provider(RawImageDataProvider(data: GreyFixtures.file, cacheKey: "raw"))
        let provided = try await bench.retrieve(source, options + [.cacheOriginalImage, .waitForCache]).get()
        #expect(provided.image.greysOnDemand == [101, 102, 103])

        let other: KingfisherOptionsInfo = [
            .processor(GreyFixtures.lighter("other")), .processesAnimatedFrames,
        ]
        let fromDisk = try await bench.retrieve(source, other + [.onlyFromCache]).get()
        #expect(fromDisk.image.greysOnDemand == [101, 102, 103] && fromDisk.cacheType == .none)

        _ = try await bench.retrieve(nil, [.onlyLoadFirstFrame]).get()
        let fromMemory = try await load([.fromMemoryCacheOrRefresh])
        #expect(fromMemory.image.greysOnDemand == [101, 102, 103] && bench.stub.requests.count == 1)
    }

    @Test("A serializer that keeps originals has the frames processed again", .behaviours("M-10"))
    func originalDataUsed() async throws {
        var serializer = DefaultCacheSerializer()
        serializer.preferCacheOriginalData = true
        let more: KingfisherOptionsInfo = [.cacheSerializer(serializer), .waitForCache]
        _ = try await load(more)
        bench.cache.clearMemoryCache()
        let read = try await load(more)
        #expect(read.cacheType == .disk && read.image.greysOnDemand == [101, 102, 103])
        let all = try await load(more + [.preloadAllAnimationData])
        #expect(all.cacheType == .memory && all.image.greysInMemory == [101, 102, 103])
    }

    @Test(
        "Other options recreate the animation and process each frame once", .behaviours("M-13"),
        arguments: [CacheType.memory, .disk])
    func recreated(_ type: CacheType) async throws {
        let lazy = try await load([.waitForCache])
        if type == .disk { bench.cache.clearMemoryCache() }
        let first = try await load()
        #expect(first.cacheType == type)
        let all = try await load([.preloadAllAnimationData])
        #expect(all.cacheType == .memory && all.image.greysInMemory == [101, 102, 103])
        #expect(all.image.frameDurations == GreyFixtures.durations)
        #expect(try await load().image === first.image)
        #expect(bench.stub.requests.count == 1)
        withExtendedLifetime(lazy) {}
    }

    @Test(
        "Options for frames on demand recreate a preloaded animation", .behaviours("M-13"),
        arguments: [CacheType.memory, .disk])
    func recreatedOnDemand(_ type: CacheType) async throws {
        _ = try await load([.preloadAllAnimationData, .waitForCache])
        if type == .disk { bench.cache.clearMemoryCache() }
        let all = try await load([.preloadAllAnimationData])
        #expect(all.cacheType == type && all.image.greysInMemory == [101, 102, 103])
        let lazy = try await load()
        #expect(lazy.cacheType == .memory && lazy.image.greysOnDemand == [101, 102, 103])
        #expect(bench.stub.requests.count == 1)
    }

    @Test("An animation without a file is recreated from its frames", .behaviours("M-13"))
    func recreatedWithoutFile() async throws {
        let greys = [Image.filled(4, 4, with: 7), Image.filled(4, 4, with: 8)].compactMap { $0 }
        let animation = try #require(Image.animatedImage(with: greys, duration: 1))
        let parsed = KingfisherParsedOptionsInfo(options)
        let made = try #require(parsed.processor.process(item: .image(animation), options: parsed))
        try await bench.cache.store(made, forKey: bench.url.cacheKey, options: parsed, toDisk: false)
        let all = try await load([.preloadAllAnimationData])
        #expect(all.cacheType == .memory && all.image.greysInMemory == [107, 108])
    }

    @Test("The downloader alone processes each frame")
    func downloader() async throws {
        let image = try await bench.downloader.downloadImage(with: bench.url, options: options).image
        #expect(image.greysOnDemand == [101, 102, 103])
    }

    @Test("The cache's methods honour the options")
    func cacheCalls() async throws {
        let parsed = KingfisherParsedOptionsInfo(options)
        let image = try #require(parsed.processor.process(item: .data(GreyFixtures.file), options: parsed))
        try await bench.cache.store(image, original: GreyFixtures.file, forKey: "key", options: parsed)
        let identifier = processor.framewise.identifier
        #expect(bench.cache.imageCachedType(forKey: "key", processorIdentifier: identifier) == .memory)
        #expect(bench.cache.retrieveImageInMemoryCache(forKey: "key", options: options) === image)
        #expect(
            bench.cache.retrieveImageInMemoryCache(forKey: "key", options: [.processor(processor)]) == nil)
        bench.cache.clearMemoryCache()
        let read = try await bench.cache.retrieveImage(forKey: "key", options: options)
        #expect(read.cacheType == .disk && read.image?.greysOnDemand == [101, 102, 103])
        let preloaded = try await bench.cache.retrieveImageInDiskCache(
            forKey: "key", options: options + [.preloadAllAnimationData])
        #expect(preloaded?.greysInMemory == [101, 102, 103])
    }

    @Test("An animation in memory does not retain its cache")
    func noCycle() async throws {
        weak var cache: ImageCache?
        do {
            let folder = try TemporaryFolder()
            let own = try ImageCache(name: "cycle", cacheDirectoryURL: folder.url)
            cache = own
            _ = try await load([.targetCache(own), .waitForCache])
            #expect(own.memoryStorageCacheCost > 0)
        }
        #expect(await poll { cache == nil })
    }
}

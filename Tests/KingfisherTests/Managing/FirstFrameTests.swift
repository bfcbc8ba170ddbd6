import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// The manager's part of V-9: each load decides how many frames are decoded, independent of the cache.
@Suite struct FirstFrameTests {
    private let bench: Bench

    private let frameCount: Int

    init() throws {
        bench = try Bench(serving: try TestImages.gif)
        frameCount = try #require(try TestImages.animation.kf.imageFrameCount)
    }

    private func load(
        _ option: KingfisherOptionsInfoItem, _ more: KingfisherOptionsInfo = []
    ) async throws -> RetrieveImageResult {
        try await bench.retrieve(nil, [option, .waitForCache] + more).get()
    }

    @Test("After a first-frame load the disk has the whole file, and the next load has every frame")
    func firstFrameThenAll() async throws {
        let first = try await load(.onlyLoadFirstFrame)
        #expect(first.image.images == nil)
        #expect(first.image.kf.imageFrameCount == frameCount)
        let path = bench.cache.cachePath(forKey: bench.url.cacheKey)
        #expect(try Data(contentsOf: URL(filePath: path)) == TestImages.gif)

        bench.cache.clearMemoryCache()
        let all = try await load(.preloadAllAnimationData)
        #expect(all.cacheType == .disk)
        #expect(all.image.images?.count == frameCount)
        #expect(bench.stub.requests.count == 1)
    }

    @Test("A first-frame image in memory does not limit the next load")
    func firstFrameInMemory() async throws {
        _ = try await load(.onlyLoadFirstFrame)
        let all = try await load(.preloadAllAnimationData)
        #expect(all.cacheType == .memory)
        #expect(all.image.images?.count == frameCount)
        #expect(bench.stub.requests.count == 1)
    }

    @Test(
        "After a full load, a first-frame load has no animation frames", arguments: [CacheType.memory, .disk])
    func allThenFirstFrame(type: CacheType) async throws {
        #expect(try await load(.preloadAllAnimationData).image.images?.count == frameCount)
        if type == .disk { bench.cache.clearMemoryCache() }
        let first = try await load(.onlyLoadFirstFrame)
        #expect(first.cacheType == type)
        #expect(first.image.images == nil)
        #expect(bench.stub.requests.count == 1)
    }

    @Test("With a first-frame load of a processed animation, the disk still has all frames")
    func processed() async throws {
        let processor = CountingProcessor("p")
        let first = try await load(.onlyLoadFirstFrame, [.processor(processor)])
        #expect(first.image.images == nil)
        bench.cache.clearMemoryCache()
        let all = try await load(.preloadAllAnimationData, [.processor(processor)])
        #expect(all.cacheType == .disk)
        #expect(all.image.images?.count == frameCount)
        #expect(bench.stub.requests.count == 1)
    }

    @Test(
        "A processor gets the whole animation at the requested scale despite a first frame in memory"
    )
    func processedFirstFrameInMemory() async throws {
        _ = try await load(.onlyLoadFirstFrame)
        let processor = CountingProcessor("p")
        let all = try await load(.preloadAllAnimationData, [.processor(processor), .scaleFactor(2)])
        #expect(all.image.images?.count == frameCount && all.image.scale == 2)
        #expect(processor.items == [.image] && bench.stub.requests.count == 1)
    }

    @Test("Providers and cached originals also give all frames after a first-frame load")
    func providerAndOriginal() async throws {
        let source = Source.provider(RawImageDataProvider(data: try TestImages.gif, cacheKey: "raw"))
        _ = try await bench.retrieve(source, [.onlyLoadFirstFrame, .waitForCache]).get()
        bench.cache.clearMemoryCache()
        let all = try await bench.retrieve(source, [.preloadAllAnimationData]).get()
        #expect(all.cacheType == .disk && all.image.images?.count == frameCount)

        let processor = CountingProcessor("other")
        let made = try await bench.retrieve(source, [.preloadAllAnimationData, .processor(processor)]).get()
        #expect(made.image.images?.count == frameCount)
        #expect(bench.stub.requests.isEmpty)
    }
}

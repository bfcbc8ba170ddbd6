import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// The manager's part of V-9: how much of an animation is decoded is a matter of each load, not of what is
/// stored.
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

    @Test("After a first-frame-only load the disk has the whole file; the next load yields every frame")
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

    @Test("The same while the first-frame image is still in memory")
    func firstFrameInMemory() async throws {
        _ = try await load(.onlyLoadFirstFrame)
        let all = try await load(.preloadAllAnimationData)
        #expect(all.cacheType == .memory)
        #expect(all.image.images?.count == frameCount)
        #expect(bench.stub.requests.count == 1)
    }

    @Test("After a full load a first-frame load has no frames", arguments: [CacheType.memory, .disk])
    func allThenFirstFrame(type: CacheType) async throws {
        #expect(try await load(.preloadAllAnimationData).image.images?.count == frameCount)
        if type == .disk { bench.cache.clearMemoryCache() }
        let first = try await load(.onlyLoadFirstFrame)
        #expect(first.cacheType == type)
        #expect(first.image.images == nil)
        #expect(bench.stub.requests.count == 1)
    }

    @Test("A processed animation: the disk keeps what a first-frame-only load could not show")
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
        "To a processor, too, the first-frame image in memory is the whole animation, at the scale asked for"
    )
    func processedFirstFrameInMemory() async throws {
        _ = try await load(.onlyLoadFirstFrame)
        let processor = CountingProcessor("p")
        let all = try await load(.preloadAllAnimationData, [.processor(processor), .scaleFactor(2)])
        #expect(all.image.images?.count == frameCount && all.image.scale == 2)
        #expect(processor.items == [.image] && bench.stub.requests.count == 1)
    }

    @Test("From a provider, and from a kept original, too")
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

import Foundation
import KingfisherImage
import KingfisherTestSupport
import KingfisherTransport
import Synchronization
import Testing

@testable import Kingfisher

/// What comes from caches and providers is decoded within the budget, too.
@Suite struct CachedBudgetTests {
    private static func reason(_ result: Result<RetrieveImageResult, KingfisherError>) -> Int? {
        result.failure?.errorCode
    }

    @Test("An image on disk, an original on disk and a provider's bytes are refused beyond the budget")
    func refusals() async throws {
        let png = try Pictures.png
        let bench = try Bench(serving: png)
        let round = RoundCornerImageProcessor(cornerRadius: 3)
        _ = try await bench.retrieve(nil, [.cacheOriginalImage, .processor(round), .waitForCache])
        bench.cache.clearMemoryCache()
        bench.manager.memoryBudget = 1_000
        // The processed image, then the original for another processor.
        #expect(Self.reason(try await bench.retrieve(nil, [.processor(round)])) == 9002)
        let other = RoundCornerImageProcessor(cornerRadius: 4)
        #expect(Self.reason(try await bench.retrieve(nil, [.processor(other)])) == 9002)
        let provider = RawImageDataProvider(data: png, cacheKey: "provided")
        #expect(Self.reason(try await bench.retrieve(.provider(provider))) == 9002)
        bench.manager.memoryBudget = 1 << 20
        for processor in [round, other] {
            #expect(Self.reason(try await bench.retrieve(nil, [.processor(processor)])) == nil)
        }
        #expect(Self.reason(try await bench.retrieve(.provider(provider))) == nil)
        #expect(bench.stub.requests.count == 1)
        #expect(await poll { bench.manager.admission?.load ?? (1, 1) == (0, 0) })
    }

    /// Takes note of what is in flight while it decodes.
    private final class WitnessSerializer: CacheSerializer {
        private let manager: KingfisherManager
        private let most = Mutex(0)

        init(_ manager: KingfisherManager) {
            self.manager = manager
        }

        var bytesInFlight: Int { most.withLock { $0 } }

        func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
            DefaultCacheSerializer.default.data(with: image, original: original)
        }

        func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
            most.withLock { $0 = max($0, manager.admission?.load.bytesInFlight ?? 0) }
            return DefaultCacheSerializer.default.image(with: data, options: options)
        }
    }

    @Test("An image on disk holds its memory while it is decoded")
    func heldWhileDecoding() async throws {
        let bench = try Bench()
        _ = try await bench.retrieve(nil, [.waitForCache])
        bench.cache.clearMemoryCache()
        bench.manager.memoryBudget = 1 << 20
        let serializer = WitnessSerializer(bench.manager)
        let result = try await bench.retrieve(nil, [.cacheSerializer(serializer)])
        #expect((try? result.get().cacheType) == .disk)
        #expect(serializer.bytesInFlight == ImageCodecs.decodingMemory(of: try Pictures.png))
    }

    @Test("Images on disk wait for memory, and each comes once there is some")
    func waiting() async throws {
        let bench = try Bench()
        let urls = (0..<20).map { _ in Bench.freshURL() }
        for url in urls { _ = try await bench.retrieve(url, [.waitForCache]) }
        bench.cache.clearMemoryCache()
        bench.manager.memoryBudget = ImageCodecs.decodingMemory(of: try Pictures.png)
        let inbox = Inbox<Result<RetrieveImageResult, KingfisherError>>()
        for url in urls {
            bench.manager.retrieveImage(with: url, options: [.callbackQueue(.untouch)]) { inbox.put($0) }
        }
        let results = try await inbox.first(urls.count)
        #expect(results.allSatisfy { (try? $0.get().cacheType) == .disk })
        #expect(await poll { bench.manager.admission?.load ?? (1, 1) == (0, 0) })
    }

    @Test("A request that is cancelled while it waits to decode a cached original ends, and frees its place")
    func cancelledOriginal() async throws {
        let bench = try Bench()
        let gate = DispatchSemaphore(value: 0)  // holds the processing queue, off every test's thread
        let queue = DispatchQueue(label: "original")
        queue.async { gate.wait() }
        let png = try Pictures.png
        let provider = RawImageDataProvider(data: png, cacheKey: "waiting")
        let bytes = ImageCodecs.decodingMemory(of: png) + png.count
        bench.manager.memoryBudget = bytes
        let inbox = Inbox<Result<RetrieveImageResult, KingfisherError>>()
        let options: KingfisherOptionsInfo = [
            .callbackQueue(.untouch), .processingQueue(.dispatch(queue)), .forceRefresh,
        ]
        let tasks = (0..<3).map { _ in
            bench.manager.retrieveImage(with: .provider(provider), options: options) { inbox.put($0) }
        }
        // The bytes are there already; one decodes, one may exceed the budget, one waits.
        #expect(await poll { bench.manager.admission?.heldLoads == 1 })
        for task in tasks { task?.cancel() }
        #expect(try await inbox.first(3).allSatisfy { $0.failure?.errorCode == 1006 })
        #expect(await poll { bench.manager.admission?.heldLoads == 0 })
        gate.signal()
        #expect(await poll { bench.manager.admission?.load ?? (1, 1) == (0, 0) })
    }
}

import Foundation
import KingfisherImage
import KingfisherTestSupport
import KingfisherTransport
import Synchronization
import TestHelpers
import Testing

@testable import Kingfisher

/// Decoding of cached images and provider data within the memory budget.
@Suite struct CachedBudgetTests {
    private static func reason(_ result: Result<RetrieveImageResult, KingfisherError>) -> Int? {
        result.failure?.errorCode
    }

    @Test("Images on disk, originals on disk and provider data beyond the budget are refused")
    func refusals() async throws {
        let png = try TestImages.png
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

    @Test("A file that can be decoded at any size reserves memory for its scale or target")
    func scalable() async throws {
        let bench = try Bench(serving: ScalableCodec.file)
        let provider = Source.provider(RawImageDataProvider(data: ScalableCodec.file, cacheKey: "vector"))
        // Twice the pixels of 480 x 320.
        let bytes = 2 * 4 * 480 * 320
        let small = DownsamplingImageProcessor(size: CGSize(width: 480, height: 320))
        let variants: [KingfisherOptionsInfo] = [[.scaleFactor(20)], [.processor(small)]]
        for (budget, code) in [(bytes - 1, 9002), (bytes + ScalableCodec.file.count, nil)] {
            bench.manager.memoryBudget = budget
            for variant in variants {
                let options: KingfisherOptionsInfo = [
                    .decodingContext(ScalableCodec.context), .forceRefresh, .cacheMemoryOnly,
                ]
                let result = try await bench.retrieve(provider, options + variant)
                #expect(Self.reason(result) == code)
            }
        }
    }

    /// Records the peak of reserved bytes while it decodes.
    private final class RecordingSerializer: CacheSerializer {
        private let manager: KingfisherManager
        private let peak = Mutex(0)

        init(_ manager: KingfisherManager) {
            self.manager = manager
        }

        var bytesInFlight: Int { peak.withLock { $0 } }

        func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
            DefaultCacheSerializer.default.data(with: image, original: original)
        }

        func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
            peak.withLock { $0 = max($0, manager.admission?.load.bytesInFlight ?? 0) }
            return DefaultCacheSerializer.default.image(with: data, options: options)
        }
    }

    @Test("An image on disk reserves memory while it is decoded")
    func heldWhileDecoding() async throws {
        let bench = try Bench()
        _ = try await bench.retrieve(nil, [.waitForCache])
        bench.cache.clearMemoryCache()
        bench.manager.memoryBudget = 1 << 20
        let serializer = RecordingSerializer(bench.manager)
        let result = try await bench.retrieve(nil, [.cacheSerializer(serializer)])
        #expect((try? result.get().cacheType) == .disk)
        let file = try Data(
            contentsOf: URL(filePath: bench.cache.cachePath(forKey: bench.url.cacheKey)))
        #expect(serializer.bytesInFlight == file.count + ImageCodecs.decodingMemory(of: file, scale: 1))
    }

    @Test("Images on disk wait for memory and are all delivered")
    func waiting() async throws {
        let bench = try Bench()
        let urls = (0..<20).map { _ in Bench.freshURL() }
        for url in urls { _ = try await bench.retrieve(url, [.waitForCache]) }
        bench.cache.clearMemoryCache()
        let png = try TestImages.png
        bench.manager.memoryBudget = png.count + ImageCodecs.decodingMemory(of: png, scale: 1)
        let inbox = Inbox<Result<RetrieveImageResult, KingfisherError>>()
        for url in urls {
            bench.manager.retrieveImage(with: url, options: [.callbackQueue(.untouch)]) { inbox.put($0) }
        }
        let results = try await inbox.first(urls.count)
        #expect(results.allSatisfy { (try? $0.get().cacheType) == .disk })
        #expect(await poll { bench.manager.admission?.load ?? (1, 1) == (0, 0) })
    }

    @Test("Providers whose data is many times the budget in total all finish")
    func providers() async throws {
        let bench = try Bench()
        let png = try TestImages.png
        let file = png + Data(count: 400_000 - png.count)
        bench.manager.memoryBudget = 500_000 + ImageCodecs.decodingMemory(of: png, scale: 1)
        let inbox = Inbox<Result<RetrieveImageResult, KingfisherError>>()
        for number in 0..<40 {
            // Four requests each share a cache key.
            let provider = RawImageDataProvider(data: file, cacheKey: "large \(number / 4)")
            bench.manager.retrieveImage(with: .provider(provider), options: [.callbackQueue(.untouch)]) {
                inbox.put($0)
            }
        }
        #expect(try await inbox.first(40).allSatisfy { $0.failure == nil })
        #expect(await poll { bench.manager.admission?.load ?? (1, 1) == (0, 0) })
    }

    @Test("A request cancelled while it waits to decode ends and leaves the queue")
    func cancelledOriginal() async throws {
        let bench = try Bench()
        let gate = DispatchSemaphore(value: 0)  // blocks a thread of `queue`, never a test's thread
        let queue = DispatchQueue(label: "original", attributes: .concurrent)
        let png = try TestImages.png
        let provider = RawImageDataProvider(data: png, cacheKey: "waiting")
        // The image is decoded, then processed.
        let bytes = 2 * ImageCodecs.decodingMemory(of: png, scale: 1) + png.count
        bench.manager.memoryBudget = bytes
        let inbox = Inbox<Result<RetrieveImageResult, KingfisherError>>()
        let options: KingfisherOptionsInfo = [
            .callbackQueue(.untouch), .processingQueue(.dispatch(queue)), .forceRefresh,
            .processor(WaitingProcessor(gate: gate)),
        ]
        let tasks = (0..<4).map { _ in
            bench.manager.retrieveImage(with: .provider(provider), options: options) { inbox.put($0) }
        }
        // The data is in memory already. One load decodes, a second one may exceed the budget.
        #expect(await poll { bench.manager.admission?.waitingLoads ?? 0 >= 2 })
        for task in tasks { task?.cancel() }
        #expect(try await inbox.first(4).allSatisfy { $0.failure?.errorCode == 1006 })
        #expect(await poll { bench.manager.admission?.waitingLoads == 0 })
        for _ in tasks { gate.signal() }
        #expect(await poll { bench.manager.admission?.load ?? (1, 1) == (0, 0) })
    }
}

private struct WaitingProcessor: ImageProcessor {
    let gate: DispatchSemaphore
    let identifier = "waiting"

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        gate.wait()
        return DefaultImageProcessor.default.process(item: item, options: options)
    }
}

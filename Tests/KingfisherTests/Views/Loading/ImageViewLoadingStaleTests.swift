import Foundation
import KingfisherTestSupport
import Synchronization
import Testing
import TestTraits

@testable import Kingfisher

/// S-1 to S-5: what the manager does with a request that its view no longer waits for.
@Suite struct ImageViewLoadingStaleTests {
    typealias Outcome = Result<RetrieveImageResult, KingfisherError>

    /// Says whether a request is wanted: each answer of the script once, the last one from then on.
    private final class Currency: Sendable {
        private let script: Mutex<[Bool]>

        init(_ script: Bool...) { self.script = Mutex(script) }

        var next: Bool {
            script.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? true }
        }

        func expire() { script.withLock { $0 = [false] } }
    }

    /// Makes the request unwanted while it deserialises.
    private struct ExpiringSerializer: CacheSerializer {
        let currency: Currency
        let counting = CountingSerializer()

        func data(with image: Image, original: Data?) -> Data? {
            counting.data(with: image, original: original)
        }

        func image(with data: Data, options: KingfisherParsedOptionsInfo) -> Image? {
            currency.expire()
            return counting.image(with: data, options: options)
        }
    }

    /// Makes the request unwanted while it processes an original, and cannot process it.
    private struct ExpiringProcessor: ImageProcessor {
        let identifier = "expiring"
        let currency: Currency

        func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> Image? {
            currency.expire()
            return nil
        }
    }

    private let bench: Bench
    private var key: String { bench.url.cacheKey }
    private var imageInMemory: Image? { bench.cache.retrieveImageInMemoryCache(forKey: key) }

    init() throws { bench = try Bench() }

    private func storeOnDisk() async throws {
        _ = try await bench.retrieve(nil, [.waitForCache]).get()
        bench.cache.clearMemoryCache()
    }

    /// The one outcome of a request with `currency` for its checker; nil for none.
    private func retrieve(_ currency: Currency?, _ options: KingfisherOptionsInfo = []) async throws
        -> Outcome
    {
        let outcomes = Inbox<Outcome>()
        var isCurrent: (@Sendable () -> Bool)?
        if let currency { isCurrent = { currency.next } }
        bench.manager.retrieveImage(
            with: .network(bench.url), options: bench.manager.parsedOptions(options), progressBlock: nil,
            isCurrent: isCurrent
        ) { outcomes.put($0) }
        let outcome = try await outcomes.first()
        try await bench.cache.settle()
        await passMainQueue()
        #expect(outcomes.count == 1)
        return outcome
    }

    private static let ways: [KingfisherOptionsInfo] = [[], [.loadDiskFileSynchronously]]

    @Test(
        "Stale before the disk work: not deserialised, not promoted, not downloaded",
        .behaviours("S-1", "S-4"),
        arguments: ways)
    func staleFromTheStart(options: KingfisherOptionsInfo) async throws {
        try await storeOnDisk()
        let serializer = CountingSerializer()
        let outcome = try await retrieve(Currency(false), options + [.cacheSerializer(serializer)])
        #expect(reason(outcome) == "imageNotExisting")
        #expect(serializer.decoded == 0 && imageInMemory == nil && bench.stub.requests.count == 1)
    }

    @Test("Stale after the first look: not deserialised", .behaviours("S-2"), arguments: ways)
    func trueThenFalse(options: KingfisherOptionsInfo) async throws {
        try await storeOnDisk()
        let serializer = CountingSerializer()
        let outcome = try await retrieve(Currency(true, false), options + [.cacheSerializer(serializer)])
        #expect(reason(outcome) == "imageNotExisting")
        #expect(serializer.decoded == 0 && imageInMemory == nil && bench.stub.requests.count == 1)
    }

    @Test("Stale while deserialising: done once, and dropped", .behaviours("S-2"), arguments: ways)
    func staleWhileDeserialising(options: KingfisherOptionsInfo) async throws {
        try await storeOnDisk()
        let serializer = ExpiringSerializer(currency: Currency(true))
        let outcome = try await retrieve(serializer.currency, options + [.cacheSerializer(serializer)])
        #expect(reason(outcome) == "imageNotExisting")
        #expect(serializer.counting.decoded == 1 && imageInMemory == nil && bench.stub.requests.count == 1)
    }

    @Test(
        "Wanted throughout, or without a checker: deserialised once and promoted", .behaviours("S-3", "S-5"))
    func wanted() async throws {
        try await storeOnDisk()
        for currency in [Currency(true), nil] {
            bench.cache.clearMemoryCache()
            let serializer = CountingSerializer()
            let result = try await retrieve(currency, [.cacheSerializer(serializer)]).get()
            #expect(result.cacheType == .disk && serializer.decoded == 1)
            #expect(imageInMemory === result.image)
        }
        #expect(bench.stub.requests.count == 1)
    }

    @Test("Stale with nothing cached: no download", .behaviours("S-4"), arguments: ways + [[.forceRefresh]])
    func missDoesNotDownload(options: KingfisherOptionsInfo) async throws {
        #expect(reason(try await retrieve(Currency(false), options)) == "imageNotExisting")
        #expect(bench.stub.requests.isEmpty)
    }

    @Test(
        "Stale with an original on disk: neither processed nor downloaded", .behaviours("S-4"),
        arguments: ways)
    func originalIsLeftAlone(options: KingfisherOptionsInfo) async throws {
        try await storeOnDisk()
        let processor = CountingProcessor("p")
        let outcome = try await retrieve(Currency(true, false), options + [.processor(processor)])
        #expect(reason(outcome) == "imageNotExisting")
        #expect(processor.calls == 0 && bench.stub.requests.count == 1)
    }

    @Test("Stale while an unreadable original is processed: no download in its place", .behaviours("S-4"))
    func unreadableOriginal() async throws {
        let stored: CacheStoreResult = try await outcome {
            bench.cache.storeToDisk(TestImages.garbage, forKey: key, completionHandler: $0)
        }
        try stored.diskCacheResult.get()
        let processor = ExpiringProcessor(currency: Currency(true))
        let outcome = try await retrieve(processor.currency, [.processor(processor)])
        #expect(reason(outcome) == "imageNotExisting")
        #expect(bench.stub.requests.isEmpty)
    }

    @Test("A hit in memory costs nothing and is reported to whoever asked")
    func memoryHit() async throws {
        _ = try await bench.retrieve().get()
        #expect(try await retrieve(Currency(false)).get().cacheType == .memory)
    }
}

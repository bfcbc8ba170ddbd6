import Foundation
import KingfisherTestSupport
import Synchronization
import Testing
import TestHelpers

@testable import Kingfisher

/// S-1 to S-5: requests that their view no longer needs.
@Suite struct ImageViewLoadingStaleTests {
    typealias Outcome = Result<RetrieveImageResult, KingfisherError>

    /// Returns whether a request is current: each scripted value once, the last one repeatedly.
    private final class ScriptedChecker: Sendable {
        private let script: Mutex<[Bool]>

        init(_ script: Bool...) { self.script = Mutex(script) }

        var next: Bool {
            script.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? true }
        }

        func expire() { script.withLock { $0 = [false] } }
    }

    /// Makes the request stale while it deserialises.
    private struct ExpiringSerializer: CacheSerializer {
        let checker: ScriptedChecker
        let counting = CountingSerializer()

        func data(with image: Image, original: Data?) -> Data? {
            counting.data(with: image, original: original)
        }

        func image(with data: Data, options: KingfisherParsedOptionsInfo) -> Image? {
            checker.expire()
            return counting.image(with: data, options: options)
        }
    }

    /// Makes the request stale while it processes an original, and fails.
    private struct ExpiringProcessor: ImageProcessor {
        let identifier = "expiring"
        let checker: ScriptedChecker

        func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> Image? {
            checker.expire()
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

    /// The outcome of a request with the checker `checker`.
    private func retrieve(_ checker: ScriptedChecker?, _ options: KingfisherOptionsInfo = []) async throws
        -> Outcome
    {
        let outcomes = Inbox<Outcome>()
        var isCurrent: (@Sendable () -> Bool)?
        if let checker { isCurrent = { checker.next } }
        bench.manager.retrieveImage(
            RequestPlan(.network(bench.url), bench.manager.parsedOptions(options), isCurrent: isCurrent)
        ) { outcomes.put($0) }
        let outcome = try await outcomes.first()
        try await bench.cache.settle()
        await passMainQueue()
        #expect(outcomes.count == 1)
        return outcome
    }

    private static let ways: [KingfisherOptionsInfo] = [[], [.loadDiskFileSynchronously]]

    @Test(
        "A request that is stale before the disk work does not deserialise, promote or download",
        .behaviours("S-1", "S-4"),
        arguments: ways)
    func staleFromTheStart(options: KingfisherOptionsInfo) async throws {
        try await storeOnDisk()
        let serializer = CountingSerializer()
        let outcome = try await retrieve(ScriptedChecker(false), options + [.cacheSerializer(serializer)])
        #expect(reason(outcome) == "imageNotExisting")
        #expect(serializer.decoded == 0 && imageInMemory == nil && bench.stub.requests.count == 1)
    }

    @Test(
        "A request that becomes stale after the lookup does not deserialise", .behaviours("S-2"),
        arguments: ways)
    func staleAfterLookup(options: KingfisherOptionsInfo) async throws {
        try await storeOnDisk()
        let serializer = CountingSerializer()
        let outcome = try await retrieve(
            ScriptedChecker(true, false), options + [.cacheSerializer(serializer)])
        #expect(reason(outcome) == "imageNotExisting")
        #expect(serializer.decoded == 0 && imageInMemory == nil && bench.stub.requests.count == 1)
    }

    @Test(
        "A request that becomes stale while deserialising ignores the result", .behaviours("S-2"),
        arguments: ways)
    func staleWhileDeserialising(options: KingfisherOptionsInfo) async throws {
        try await storeOnDisk()
        let serializer = ExpiringSerializer(checker: ScriptedChecker(true))
        let outcome = try await retrieve(serializer.checker, options + [.cacheSerializer(serializer)])
        #expect(reason(outcome) == "imageNotExisting")
        #expect(serializer.counting.decoded == 1 && imageInMemory == nil && bench.stub.requests.count == 1)
    }

    @Test(
        "A current request, or one without a checker, deserialises once and promotes",
        .behaviours("S-3", "S-5"))
    func wanted() async throws {
        try await storeOnDisk()
        for checker in [ScriptedChecker(true), nil] {
            bench.cache.clearMemoryCache()
            let serializer = CountingSerializer()
            let result = try await retrieve(checker, [.cacheSerializer(serializer)]).get()
            #expect(result.cacheType == .disk && serializer.decoded == 1)
            #expect(imageInMemory === result.image)
        }
        #expect(bench.stub.requests.count == 1)
    }

    @Test(
        "A stale request with an empty cache does not download", .behaviours("S-4"),
        arguments: ways + [[.forceRefresh]])
    func missDoesNotDownload(options: KingfisherOptionsInfo) async throws {
        #expect(reason(try await retrieve(ScriptedChecker(false), options)) == "imageNotExisting")
        #expect(bench.stub.requests.isEmpty)
    }

    @Test(
        "A stale request with an original on disk neither processes nor downloads", .behaviours("S-4"),
        arguments: ways)
    func originalOnDisk(options: KingfisherOptionsInfo) async throws {
        try await storeOnDisk()
        let processor = CountingProcessor("p")
        let outcome = try await retrieve(ScriptedChecker(true, false), options + [.processor(processor)])
        #expect(reason(outcome) == "imageNotExisting")
        #expect(processor.calls == 0 && bench.stub.requests.count == 1)
    }

    @Test(
        "A request that becomes stale while it processes an unreadable original does not download",
        .behaviours("S-4"))
    func unreadableOriginal() async throws {
        let stored: CacheStoreResult = try await outcome {
            bench.cache.storeToDisk(TestImages.garbage, forKey: key, completionHandler: $0)
        }
        try stored.diskCacheResult.get()
        let processor = ExpiringProcessor(checker: ScriptedChecker(true))
        let outcome = try await retrieve(processor.checker, [.processor(processor)])
        #expect(reason(outcome) == "imageNotExisting")
        #expect(bench.stub.requests.isEmpty)
    }

    @Test("A memory hit is reported even if the request is stale")
    func memoryHit() async throws {
        _ = try await bench.retrieve().get()
        #expect(try await retrieve(ScriptedChecker(false)).get().cacheType == .memory)
    }
}

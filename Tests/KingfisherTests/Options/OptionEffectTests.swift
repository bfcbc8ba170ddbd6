import Foundation
import Kingfisher
import KingfisherTestSupport
import TestHelpers
import Testing

/// The effect of options that no other suite covers.
@Suite struct OptionEffectTests {
    private let bench: Bench

    init() throws {
        bench = try Bench()
    }

    @Test(
        "diskStoreWriteOptions with .withoutOverwriting preserves an existing entry, otherwise it is replaced"
    )
    func withoutOverwriting() async throws {
        let key = bench.url.cacheKey
        let old = try TestImages.gif
        let rows: [(Data.WritingOptions, isKept: Bool)] = [
            (.withoutOverwriting, true), ([], false), (.atomic, false),
        ]
        for (options, isKept) in rows {
            try await bench.cache.storeToDisk(old, forKey: key)
            _ = try await bench.retrieve(
                nil, [.diskStoreWriteOptions(options), .forceRefresh, .waitForCache]
            ).get()
            let entry = try #require(try bench.cache.diskStorage.value(forKey: key))
            #expect((entry == old) == isKept)
        }
    }

    @Test("A processingQueue runs processors of downloads and of providers", arguments: [true, false])
    func processingQueue(isProvider: Bool) async throws {
        let marked = MarkedQueue()
        let wasMarked = Inbox<Bool>()
        let processor = CountingProcessor("p") { image in
            wasMarked.put(marked.isCurrent)
            return image
        }
        let source: Source =
            isProvider
            ? .provider(RawImageDataProvider(data: try TestImages.png, cacheKey: "raw")) : .network(bench.url)
        for options: KingfisherOptionsInfo in [[.processingQueue(.dispatch(marked.queue))], []] {
            _ = try await bench.retrieve(source, options + [.processor(processor), .forceRefresh]).get()
        }
        #expect(wasMarked.values == [true, false])
    }

    @Test("The options downloader and targetCache replace those of the manager")
    func downloaderAndTargetCache() async throws {
        let other = try Bench()
        _ = try await bench.retrieve(
            nil, [.downloader(other.downloader), .targetCache(other.cache)]
        ).get()
        #expect(other.stub.requests.count == 1 && bench.stub.requests.isEmpty)
        #expect(
            other.cache.isCached(forKey: bench.url.cacheKey)
                && !bench.cache.isCached(forKey: bench.url.cacheKey))
    }

    @Test("backgroundDecode has no effect because every image is already decoded in the background")
    func backgroundDecode() async throws {
        for caller in Caller.allCases {
            let rig = try ThreadRig()
            let seen = try await rig.request(from: caller, [.forceRefresh])
            let other = try await rig.request(from: caller, [.forceRefresh, .backgroundDecode])
            #expect(seen.succeeded && other.succeeded && seen.decoding.count == other.decoding.count)
            #expect(!seen.decoding.contains(seen.caller) && !other.decoding.contains(other.caller))
        }
    }

    @Test("diskCacheExpiration and memoryCacheExpiration apply to downloads of a manager")
    func expirations() async throws {
        _ = try await bench.retrieve(nil, [.memoryCacheExpiration(.expired), .waitForCache]).get()
        #expect(bench.cache.imageCachedType(forKey: bench.url.cacheKey) == .disk)
        let other = Bench.freshURL()
        _ = try await bench.retrieve(other, [.diskCacheExpiration(.expired), .waitForCache]).get()
        bench.cache.clearMemoryCache()
        #expect(bench.cache.imageCachedType(forKey: other.cacheKey) == .none)
    }
}

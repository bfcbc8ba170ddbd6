import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// Loads with `KingfisherManager.cacheKeyRule`.
@Suite struct CacheKeyRuleLoadingTests {
    private let bench: Bench
    private let tier = MemoryTier()

    init() throws {
        bench = try Bench()
        bench.manager.cacheKeyRule = .presigned
    }

    /// The bench's URL, signed in one of several ways.
    private func signed(_ number: Int) -> URL {
        let items = ["Date", "Expires", "Signature"].map {
            URLQueryItem(name: "X-Amz-\($0)", value: "\(number)")
        }
        return bench.url.appending(queryItems: items)
    }

    private var key: String { bench.url.cacheKey }
    private var requested: [URL?] { bench.stub.requests.map(\.url) }

    private func load(_ number: Int, _ options: KingfisherOptionsInfo = []) async throws -> CacheType {
        try await bench.manager.retrieveImage(
            with: signed(number), options: [.waitForCache] + options
        ).cacheType
    }

    @Test func `Two presigned URLs of one image load it once, and the request has its signature`()
        async throws
    {
        #expect(try await load(1) == .none)
        #expect(try await load(2) == .memory)
        bench.cache.clearMemoryCache()
        #expect(try await load(3) == .disk)
        #expect(requested == [signed(1)])
    }

    @Test func `Without a rule they are two images`() async throws {
        bench.manager.cacheKeyRule = nil
        #expect(try await load(1) == .none)
        #expect(try await load(2) == .none)
        #expect(requested == [signed(1), signed(2)])
        #expect(bench.manager.cacheKey(for: signed(1)) == signed(1).absoluteString)
    }

    @Test func `The sources of the result have the key of the rule and the requested URL`() async throws {
        let result = try await bench.retrieve(signed(1)).get()
        for source in [result.source, result.originalSource] {
            #expect(source.cacheKey == key && source.url == signed(1))
        }
        let hit = try await bench.retrieve(signed(2)).get()
        #expect(hit.cacheType == .memory && hit.source.cacheKey == key && hit.source.url == signed(2))
    }

    @Test func `A processed image and its original are found under the key of the rule`() async throws {
        let options: KingfisherOptionsInfo = [
            .processor(BlurImageProcessor(blurRadius: 1)), .cacheOriginalImage,
        ]
        #expect(try await load(1, options) == .none)
        #expect(try await load(2, options) == .memory)
        let tint: KingfisherOptionsInfo = [.processor(TintImageProcessor(tint: .red))]
        #expect(try await load(3, tint) == .none)
        #expect(requested == [signed(1)])
    }

    @Test func `A tier has one entry for all signatures`() async throws {
        bench.manager.tiers = [tier]
        _ = try await load(1)
        #expect(await poll { !tier.entries.isEmpty })
        #expect(tier.writes.map(\.cacheKey) == [key])
        await bench.cache.clearCache()
        #expect(try await load(2) == .disk)
        #expect(requested == [signed(1)])
    }

    @Test func `The file in memory and on disk is found for another signature`() async throws {
        let manager = bench.manager
        #expect(try await manager.retrieveData(with: signed(1), options: [.waitForCache]).cacheType == .none)
        #expect(try await manager.retrieveData(with: signed(2)).cacheType == .memory)
        try await bench.cache.settle()
        bench.cache.clearMemoryCache()
        #expect(try await manager.retrieveData(with: signed(3)).cacheType == .disk)
        #expect(requested == [signed(1)])
    }

    @Test func `retrieveFile opens the file of another signature`() async throws {
        let file = try await bench.manager.retrieveFile(with: signed(1))
        bench.cache.clearMemoryCache()
        let other = try await bench.manager.retrieveFile(with: signed(2))
        #expect(file.byteCount == other.byteCount)
        // A load would have stored it.
        #expect(bench.cache.retrieveImageInMemoryCache(forKey: key) == nil)
        #expect(requested == [signed(1)])
    }

    @Test func `imageEvents finds the image of another signature`() async throws {
        _ = try await load(1)
        var types: [CacheType] = []
        for try await event in bench.manager.imageEvents(for: signed(2)) {
            if case .finished(let result) = event { types.append(result.cacheType) }
        }
        #expect(types == [.memory])
    }

    @Test func `Alternative sources get the key of the rule`() async throws {
        let png = try TestImages.png
        let bench = try Bench { $0.url?.path == "/missing" ? StubAnswer(status: 404) : .ok(png) }
        bench.manager.cacheKeyRule = .presigned
        let missing = try #require(URL(string: "http://stub.invalid/missing"))
        for (number, type) in [(1, CacheType.none), (2, .memory)] {
            let url = bench.url.appending(queryItems: [.init(name: "X-Amz-Signature", value: "\(number)")])
            let result = try await bench.retrieve(missing, [.alternativeSources([.network(url)])]).get()
            #expect(result.cacheType == type && result.source.cacheKey == bench.url.cacheKey)
            #expect(result.source.url == url && result.originalSource.cacheKey == missing.cacheKey)
        }
    }

    @Test(arguments: [true, false])
    func `A prefetched image is skipped by the next prefetch, and found`(toMemory: Bool) async throws {
        let options: KingfisherOptionsInfo =
            [.manager(bench.manager), .waitForCache] + (toMemory ? [.alsoPrefetchToMemory] : [])
        let first = try await bench.prefetch([signed(1)], options)
        #expect(first.counts == [0, 0, 1] && first.completed == [signed(1).cacheKey])
        bench.cache.clearMemoryCache()
        #expect(try await bench.prefetch([signed(2)], options).counts == [1, 0, 0])
        #expect((bench.cache.retrieveImageInMemoryCache(forKey: key) != nil) == toMemory)
        #expect(try await load(3).cached)
        #expect(requested == [signed(1)])
    }

    @Test func `A prefetcher without a manager uses the rule of the shared one`() async throws {
        let (host, key) = (try #require(bench.url.host()), key)
        // Other tests use the shared manager: only this URL gets another key.
        KingfisherManager.shared.cacheKeyRule = CacheKeyRule { url in
            let text = url.cacheKey
            return url.host() == host && text.hasPrefix("\(key)?") ? key : text
        }
        defer { KingfisherManager.shared.cacheKeyRule = nil }
        #expect(try await bench.prefetch([signed(1)], [.waitForCache]).counts == [0, 0, 1])
        #expect(bench.cache.isCached(forKey: key))
    }

    @MainActor @Test func `A view shows the image of another signature from memory`() async throws {
        _ = try await load(1)
        let (view, results) = (ImageView(), Inbox<CacheType?>())
        view.kf.setImage(with: signed(2), options: [.manager(bench.manager)]) { result in
            results.put(try? result.get().cacheType)
        }
        #expect(try await results.only() == .memory)
        #expect(
            bench.manager.imageInMemory(of: .network(signed(3)), options: bench.manager.parsedOptions(nil))
                != nil)
    }

    @Test func `The files of a live photo are found for other signatures`() async throws {
        for (number, type) in [(1, CacheType.none), (2, .disk)] {
            let source = LivePhotoSource(urls: [signed(number)])
            let result = try await bench.manager.retrieveLivePhoto(with: source)
            #expect(result.cacheType == type)
            #expect(result.source.resources.map(\.dataSource.cacheKey) == [key])
        }
        #expect(requested == [signed(1)])
    }
}

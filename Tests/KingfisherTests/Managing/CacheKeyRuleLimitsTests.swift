import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// What `KingfisherManager.cacheKeyRule` does not change.
@Suite struct CacheKeyRuleLimitsTests {
    private let bench: Bench
    private let oneKey = CacheKeyRule { _ in "one key" }

    init() throws {
        bench = try Bench()
        bench.manager.cacheKeyRule = oneKey
    }

    @Test func `An explicit key wins`() async throws {
        let resource = KF.ImageResource(downloadURL: bench.url, cacheKey: "explicit")
        #expect(bench.manager.cacheKey(for: resource) == "explicit")
        #expect(bench.manager.cacheKey(for: .network(resource)) == "explicit")
        let result = try await bench.retrieve(.network(resource), [.waitForCache]).get()
        #expect(result.source.cacheKey == "explicit")
        #expect(bench.cache.isCached(forKey: "explicit") && !bench.cache.isCached(forKey: "one key"))
    }

    @Test func `A resource of another type with the key of its URL has no explicit one`() {
        struct Photo: Resource {
            let downloadURL: URL
            var cacheKey: String { downloadURL.cacheKey }
        }
        #expect(bench.manager.cacheKey(for: Photo(downloadURL: bench.url)) == "one key")
        #expect(bench.manager.cacheKey(for: .network(bench.url)) == "one key")
        #expect(bench.manager.cacheKey(for: bench.url) == "one key")
    }

    @Test func `A rule does not apply to its own result`() throws {
        let appending = CacheKeyRule { "\($0.absoluteString)#" }
        let once = try #require(Source.network(bench.url).keyed(by: appending))
        #expect(once.cacheKey == "\(bench.url.absoluteString)#" && once.url == bench.url)
        #expect(once.keyed(by: appending) == nil)
        #expect(Source.network(bench.url).keyed(by: CacheKeyRule(\.absoluteString)) == nil)
    }

    @Test func `Providers, files and data URLs keep their keys`() throws {
        let file = URL(filePath: "/tmp/1.png")
        let data = try #require(URL(string: "data:,a"))
        for url in [file, data] {
            #expect(bench.manager.cacheKey(for: url) == url.cacheKey)
            #expect(bench.manager.cacheKey(for: .network(url)) == url.cacheKey)
        }
        let provider = RawImageDataProvider(data: Data(), cacheKey: "raw")
        #expect(bench.manager.cacheKey(for: .provider(provider)) == "raw")
    }

    @Test func `cacheKey(for:) finds and removes the image`() async throws {
        bench.manager.cacheKeyRule = .droppingQueryItems(named: ["token"])
        let urls = (1...2).map { bench.url.appending(queryItems: [.init(name: "token", value: "\($0)")]) }
        _ = try await bench.retrieve(urls[0], [.waitForCache]).get()
        let (cache, manager) = (bench.cache, bench.manager)
        #expect(cache.isCached(forKey: manager.cacheKey(for: urls[1])))
        #expect(!cache.isCached(forKey: urls[0].cacheKey))
        try await cache.removeImage(forKey: manager.cacheKey(for: urls[1]))
        #expect(!cache.isCached(forKey: manager.cacheKey(for: urls[0])))
        #expect(bench.filesOnDisk.isEmpty)
    }

    @Test func `A manager has no rule by default, nor has one for servers`() throws {
        #expect(try Bench().manager.cacheKeyRule == nil)
        #expect(KingfisherManager.forServers(cache: bench.cache).cacheKeyRule == nil)
    }

    @Test func `A change applies to later requests`() async throws {
        _ = try await bench.retrieve(bench.url, [.waitForCache]).get()
        #expect(bench.cache.isCached(forKey: "one key"))
        bench.manager.cacheKeyRule = nil
        #expect(try await bench.retrieve().get().cacheType == .none)
        bench.manager.cacheKeyRule = oneKey
        #expect(try await bench.retrieve().get().cacheType == .memory)
    }

    @Test func `The failure of one URL is not remembered for another one with its key`() async throws {
        let png = try TestImages.png
        let bench = try Bench { $0.url?.query == "sig=good" ? .ok(png) : StubAnswer(status: 404) }
        bench.manager.cacheKeyRule = .droppingQueryItems(named: ["sig"])
        bench.manager.defaultOptions = [.negativeCaching(NegativeCaching())]
        func outcome(_ signature: String?) async throws -> String? {
            let items = signature.map { [URLQueryItem(name: "sig", value: $0)] } ?? []
            return reason(try await bench.retrieve(bench.url.appending(queryItems: items)))
        }
        #expect(try await outcome("bad") == "invalidHTTPStatusCode")
        #expect(try await outcome("good") == nil)
        await bench.cache.clearCache()
        // The URL without a signature has its own key, and is remembered for itself.
        let plain = bench.url
        #expect(reason(try await bench.retrieve(plain)) == "invalidHTTPStatusCode")
        #expect(reason(try await bench.retrieve(plain)) == "knownFailure")
        #expect(try await outcome("good") == nil)
    }

    @Test func `A low-data source gets the key of the rule`() async throws {
        let request = ImageRequest(
            RequestPlan(
                .network(bench.url), KingfisherParsedOptionsInfo([.lowDataMode(.network(bench.url))])),
            .init(
                targetCache: bench.cache, originalCache: bench.cache, downloader: bench.downloader,
                processingQueue: .untouch, networkMonitor: .shared, admission: nil, tiers: nil,
                cacheKeyRule: oneKey, readsFileURLs: true), completion: nil)
        var plan = request.failoverPlan
        let error = KingfisherError.constrained(bench.url)
        let step = plan.step(after: PropagationError(source: .network(bench.url), error: error))
        guard case .load(let source) = step else { return #expect(Bool(false), "\(step)") }
        #expect(source.cacheKey == "one key" && source.url == bench.url)
    }
}

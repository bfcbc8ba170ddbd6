import Foundation
import Kingfisher
import KingfisherTestSupport
import KingfisherTransport
import Testing
import TestHelpers

@Suite struct LowDataTests {
    private typealias Outcome = Result<RetrieveImageResult, KingfisherError>

    private let network = StubNetwork(isMetered: true)
    private let bench: Bench
    private let manager: KingfisherManager
    private let full = URL(string: "http://stub.invalid/full") ?? URL(filePath: "/")
    private let low = URL(string: "http://stub.invalid/low") ?? URL(filePath: "/")
    private let other = URL(string: "http://stub.invalid/other") ?? URL(filePath: "/")
    private var paths: [String?] { bench.stub.requests.map(\.url?.path) }

    /// `/missing` gives 404, `/metered` is refused by the transport, any other path is an image.
    init() throws {
        let png = try TestImages.png
        bench = try Bench { request in
            switch request.url?.path {
            case "/missing": StubAnswer(status: 404)
            case "/metered": .failure(.constrained)
            default: .ok(png)
            }
        }
        let monitor = NetworkMonitor()
        monitor.source = network
        manager = KingfisherManager(
            downloader: bench.downloader, cache: bench.cache, networkMonitor: monitor)
    }

    private func retrieve(
        _ source: Source? = nil, _ options: KingfisherOptionsInfo
    ) async throws -> Outcome {
        let inbox = Inbox<Outcome>()
        manager.retrieveImage(with: source ?? .network(full), options: options) { inbox.put($0) }
        return try await inbox.only()
    }

    @Test("On a metered network the low-data source is loaded instead, with one request", .behaviours("M-18"))
    func metered() async throws {
        let result = try await retrieve(
            nil, [.lowDataMode(.network(low)), .alternativeSources([.network(other)])]
        ).get()
        #expect(result.source.url == low && result.originalSource.url == full)
        #expect(paths == ["/low"])
        #expect(bench.cache.imageCachedType(forKey: low.cacheKey) == .memory)
        #expect(bench.cache.imageCachedType(forKey: full.cacheKey) == .none)
    }

    @Test(
        "Without a metered network or a low-data source, the requested source is loaded",
        arguments: [true, false])
    func unmetered(hasLowDataSource: Bool) async throws {
        if hasLowDataSource { network.meters(false) }
        let options: KingfisherOptionsInfo = hasLowDataSource ? [.lowDataMode(.network(low))] : []
        #expect(try await retrieve(nil, options).get().source.url == full)
        #expect(paths == ["/full"])
        #expect(network.timesAsked == (hasLowDataSource ? 1 : 0))
    }

    @Test("A cached full image is shown on a metered network", arguments: [CacheType.memory, .disk])
    func cached(type: CacheType) async throws {
        try await bench.cache.storeToDisk(TestImages.png, forKey: full.cacheKey)
        if type == .memory {
            bench.cache.memoryStorage.store(value: try TestImages.image, forKey: full.cacheKey)
        }
        let result = try await retrieve(nil, [.lowDataMode(.network(low))]).get()
        #expect(result.source.url == full && result.cacheType == type)
        #expect(paths.isEmpty)
    }

    @Test("A cached original is used on a metered network")
    func cachedOriginal() async throws {
        try await bench.cache.storeToDisk(TestImages.png, forKey: full.cacheKey)
        let options: KingfisherOptionsInfo = [
            .lowDataMode(.network(low)), .processor(CountingProcessor("p")),
        ]
        #expect(try await retrieve(nil, options).get().source.url == full)
        #expect(paths.isEmpty)
    }

    @Test("forceRefresh skips the caches and loads the low-data source")
    func forceRefresh() async throws {
        try await bench.cache.storeToDisk(TestImages.png, forKey: full.cacheKey)
        let result = try await retrieve(nil, [.lowDataMode(.network(low)), .forceRefresh]).get()
        #expect(result.source.url == low && result.cacheType == .none)
    }

    @Test("A cached low-data image needs no request")
    func cachedLowData() async throws {
        try await bench.cache.storeToDisk(TestImages.png, forKey: low.cacheKey)
        let result = try await retrieve(nil, [.lowDataMode(.network(low))]).get()
        #expect(result.source.url == low && result.cacheType == .disk)
        #expect(paths.isEmpty)
    }

    @Test("With onlyFromCache, a miss does not download or use the low-data source")
    func onlyFromCache() async throws {
        let outcome = try await retrieve(nil, [.lowDataMode(.network(low)), .onlyFromCache])
        #expect(reason(outcome) == "imageNotExisting")
        #expect(paths.isEmpty)
    }

    @Test(
        "If the low-data source fails, the alternatives follow, on the metered network as well",
        .behaviours("M-18"))
    func failingLowData() async throws {
        let missing = try #require(URL(string: "http://stub.invalid/missing"))
        let result = try await retrieve(
            nil, [.lowDataMode(.network(missing)), .alternativeSources([.network(other)])]
        ).get()
        #expect(result.source.url == other && result.originalSource.url == full)
        #expect(paths == ["/missing", "/other"])
    }

    @Test("If the low-data source fails without alternatives, its error is the result")
    func lastError() async throws {
        let missing = try #require(URL(string: "http://stub.invalid/missing"))
        let outcome = try await retrieve(nil, [.lowDataMode(.network(missing))])
        #expect(outcome.failure?.isInvalidResponseStatusCode(404) == true)
        #expect(paths == ["/missing"])
    }

    @Test(
        "If the transport reports a constrained network, the low-data source is loaded once",
        .behaviours("M-18"))
    func constrainedByTransport() async throws {
        network.meters(false)
        let metered = try #require(URL(string: "http://stub.invalid/metered"))
        #expect(try await retrieve(.network(metered), [.lowDataMode(.network(low))]).get().source.url == low)
        #expect(paths == ["/metered", "/low"])

        let outcome = try await retrieve(.network(metered), [.lowDataMode(.network(metered))])
        guard case .responseError(.URLSessionError(let error as URLError)) = outcome.failure else {
            Issue.record("\(outcome)")
            return
        }
        #expect(error.networkUnavailableReason == .constrained)
        #expect(paths == ["/metered", "/low", "/metered", "/metered"])
    }

    @Test("A provider is loaded even on a metered network")
    func provider() async throws {
        let provider = RawImageDataProvider(data: try TestImages.png, cacheKey: "raw")
        let result = try await retrieve(.provider(provider), [.lowDataMode(.network(low))]).get()
        #expect(result.source.cacheKey == "raw")
        #expect(paths.isEmpty)
    }

    @Test("The caller gets the low-data source's task, and the returned task cancels it")
    func tasks() async throws {
        bench.stub.hold()
        let (updates, outcomes) = (Inbox<DownloadTask?>(), Inbox<Outcome>())
        let task = manager.retrieveImage(
            with: .network(full), options: [.lowDataMode(.network(low))],
            downloadTaskUpdated: { updates.put($0) }, completionHandler: { outcomes.put($0) })
        #expect(try await updates.first()?.sessionTask?.originalURL == low)
        #expect(task?.isInitialized == false)
        task?.cancel()
        #expect(try await outcomes.first().failure?.isTaskCancelled == true)
        #expect(await poll { bench.stub.liveTransfers == 0 })
        #expect(updates.count == 1)
    }
}

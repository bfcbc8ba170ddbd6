import Foundation
import KingfisherTestSupport
import Synchronization
import Testing
import TestHelpers

@testable import Kingfisher

@Suite struct AlternativeSourceTests {
    private typealias Outcome = Result<RetrieveImageResult, KingfisherError>

    private struct Broken: Error {}

    /// A provider that fails before `data` returns.
    private struct FailingProvider: ImageDataProvider {
        let cacheKey: String

        func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
            handler(.failure(Broken()))
        }
    }

    /// A bench with an image at `/good…`, an empty body at `/empty…`, and 404 elsewhere.
    private let bench: Bench

    init() throws {
        let png = try TestImages.png
        bench = try Bench { request in
            let path = request.url?.path ?? ""
            if path.hasPrefix("/good") { return .ok(png) }
            return path.hasPrefix("/empty") ? .ok(Data()) : StubAnswer(status: 404)
        }
    }

    private func url(_ name: String) throws -> URL {
        try #require(URL(string: "http://stub.invalid/\(name)"))
    }

    private func source(_ name: String) throws -> Source { .network(try url(name)) }

    private func sources(_ names: String...) throws -> KingfisherOptionsInfoItem {
        .alternativeSources(try names.map(source))
    }

    private func failures(_ outcome: Outcome) throws -> [PropagationError] {
        guard case .imageSettingError(.alternativeSourcesExhausted(let failures)) = outcome.failure else {
            throw Broken()
        }
        return failures
    }

    @Test(
        "Sources are tried in order; the result names the one that was loaded and the original one",
        .behaviours("M-15"))
    func order() async throws {
        let result = try await bench.retrieve(
            try source("missing"), [try sources("empty", "good", "good/unused"), .waitForCache]
        ).get()
        #expect(result.source.url == (try url("good")))
        #expect(result.originalSource.url == (try url("missing")))
        #expect(result.cacheType == .none)
        #expect(result.data() == (try TestImages.png))
        #expect(bench.stub.requests.map(\.url?.path) == ["/missing", "/empty", "/good"])
        #expect(bench.cache.imageCachedType(forKey: try url("good").cacheKey) == .memory)
        #expect(bench.cache.imageCachedType(forKey: try url("missing").cacheKey) == .none)
        #expect(bench.filesOnDisk.count == 1)
    }

    @Test(
        "An alternative in a cache is used without a request", .behaviours("M-15"),
        arguments: [CacheType.memory, .disk])
    func cachedAlternative(type: CacheType) async throws {
        try await bench.cache.storeToDisk(TestImages.png, forKey: url("cached").cacheKey)
        if type == .memory {
            bench.cache.memoryStorage.store(value: try TestImages.image, forKey: try url("cached").cacheKey)
        }
        let (updates, options) = (Inbox<DownloadTask?>(), [.onlyFromCache, try sources("cached")])
        let result = try await outcome { done in
            bench.manager.retrieveImage(
                with: KF.ImageResource(downloadURL: URL(filePath: "/x"), cacheKey: "x"),
                options: options,
                downloadTaskUpdated: { updates.put($0) }, completionHandler: done)
        }.get()
        #expect(result.cacheType == type)
        #expect(result.originalSource.cacheKey == "x")
        #expect(bench.stub.requests.isEmpty)
        #expect(updates.count == 0)
    }

    @Test(
        "If all sources fail, the error lists each with code and text, the original first",
        .behaviours("M-15"))
    func exhausted() async throws {
        let provider = FailingProvider(cacheKey: "provider")
        let outcome = try await bench.retrieve(
            try source("missing"), [.alternativeSources([.provider(provider), try source("empty")])])
        let failures = try failures(outcome)
        #expect(
            failures.map(\.source.cacheKey) == [
                try url("missing").cacheKey, "provider", try url("empty").cacheKey,
            ])
        #expect(
            failures.map(\.error.reasonName) == [
                "invalidHTTPStatusCode", "dataProviderError", "processingFailed",
            ])
        let error = try #require(outcome.failure)
        #expect(error.errorCode == 5004 && error.reasonName == "alternativeSourcesExhausted")
        let text = try #require(error.errorDescription)
        #expect(text.contains("404") && text.contains("provider"))
    }

    @Test("A single source, or an empty list, gives the source's error", .behaviours("M-15"))
    func noAlternatives() async throws {
        #expect(reason(try await bench.retrieve(try source("missing"), [])) == "invalidHTTPStatusCode")
        let none = try await bench.retrieve(try source("missing"), [.alternativeSources([])])
        #expect(none.failure?.isInvalidResponseStatusCode(404) == true)
    }

    @Test("Completion queue and image modifier of the request are used once")
    func completion() async throws {
        let (marked, modifier) = (MarkedQueue(), CountingModifier())
        let inbox = Inbox<(Image?, Bool)>()
        bench.manager.retrieveImage(
            with: try source("missing"),
            options: [
                try sources("empty", "good"), .callbackQueue(.dispatch(marked.queue)),
                .imageModifier(modifier),
            ]
        ) { inbox.put((try? $0.get().image, marked.isCurrent)) }
        let (image, onQueue) = try await inbox.first()
        #expect(onQueue && image?.renderingMode == .alwaysTemplate)
        #expect(modifier.calls == 1)
    }

    @Test("Thousands of sources that fail immediately are all tried, without nested calls")
    func manyFailures() async throws {
        let names = (0..<5_000).map { "p\($0)" }
        let result = Inbox<Outcome>()
        // A thread has a stack of half a megabyte, which nested calls would exhaust.
        Thread {
            bench.manager.retrieveImage(
                with: .provider(FailingProvider(cacheKey: "first")),
                options: [
                    .forceRefresh, .callbackQueue(.untouch),
                    .alternativeSources(names.map { .provider(FailingProvider(cacheKey: $0)) }),
                ]
            ) { result.put($0) }
        }.start()
        #expect(try failures(try await result.first()).map(\.source.cacheKey) == ["first"] + names)
        #expect(result.count == 1)
    }

    @Test("Over a real server: a failed status, then a lost connection, then an image")
    func loopback() async throws {
        let bench = try Bench()
        let server = try LoopbackServer { request in
            switch request.path {
            case "/good": (try? TestImages.png).map { .ok($0) } ?? .status(500)
            case "/reset": ServerResponse([.reset])
            default: .status(503)
            }
        }
        defer { server.stop() }
        let downloader = ImageDownloader(name: "loopback")
        let updates = Inbox<DownloadTask?>()
        let result = try await outcome { done in
            bench.manager.retrieveImage(
                with: server.url("/busy"),
                options: [
                    .downloader(downloader),
                    .alternativeSources([.network(server.url("/reset")), .network(server.url("/good"))]),
                ], downloadTaskUpdated: { updates.put($0) }, completionHandler: done)
        }.get()
        #expect(result.source.url == server.url("/good"))
        #expect(updates.values.map { $0?.sessionTask?.originalURL?.path } == ["/reset", "/good"])
        #expect(server.requests.map(\.path) == ["/busy", "/reset", "/good"])
        downloader.sessionConfiguration = .ephemeral
    }

    @Test("The async function fails over, and cancelling it stops an alternative")
    func asynchronous() async throws {
        let result = try await bench.manager.retrieveImage(
            with: try source("missing"), options: [try sources("good")])
        #expect(result.source.url == (try url("good")))

        let options: KingfisherOptionsInfo = [try sources("held")]
        let first = try source("other")
        let modifier = AnyModifier { [stub = bench.stub] request in
            if request.url?.path == "/held" { stub.hold() }
            return request
        }
        let task = Task {
            try await bench.manager.retrieveImage(
                with: first, options: options + [.requestModifier(modifier)])
        }
        #expect(await poll { bench.stub.requests.last?.url?.path == "/held" })
        task.cancel()
        await #expect(throws: KingfisherError.self) { _ = try await task.value }
        #expect(await poll { bench.stub.liveTransfers == 0 })
    }

    @Test("A retained task does not retain the options of a finished request")
    func release() async throws {
        final class Token: Sendable {}
        weak var token: Token?
        let done = Inbox<Void>()
        var tasks: [DownloadTask] = []
        let updates = Inbox<DownloadTask?>()
        do {
            let new = Token()
            token = new
            let task = bench.manager.retrieveImage(
                with: try source("missing"), options: [try sources("empty", "good")],
                downloadTaskUpdated: { [new] in
                    _ = new
                    updates.put($0)
                }
            ) { [new] _ in
                _ = new
                done.put()
            }
            tasks.append(try #require(task))
        }
        try await done.first()
        #expect(await poll { token == nil })
        #expect(updates.count == 2)
        tasks.forEach { $0.cancel() }
    }
}

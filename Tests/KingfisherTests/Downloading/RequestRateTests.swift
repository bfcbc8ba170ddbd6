import Foundation
import KingfisherTestSupport
import KingfisherTransport
import Synchronization
import TestHelpers
import Testing

@testable import Kingfisher

/// The rate of a downloader, and hosts that refuse requests, over real connections.
@Suite struct RequestRateTests {
    private typealias Outcome = Result<ImageLoadingResult, KingfisherError>

    private func download(_ url: URL, with downloader: ImageDownloader) async throws -> Outcome {
        try await outcome { downloader.downloadImage(with: url, completionHandler: $0) }
    }

    @Test("A downloader has no rate by default, and keeps one when its configuration is set")
    func property() {
        let downloader = ImageDownloader(name: "rate")
        #expect(downloader.requestRate == nil)
        let rate = RequestRate(requestsPerSecond: 3, burst: 2)
        downloader.requestRate = rate
        downloader.sessionConfiguration = .ephemeral
        #expect(downloader.requestRate == rate)
        downloader.requestRate = nil
        #expect(downloader.requestRate == nil)
        #expect(KingfisherManager.forServers().downloader.requestRate == nil)
    }

    @Test("Downloads start at the rate, redirect hops included")
    func rate() async throws {
        let png = try TestImages.png
        let server = try LoopbackServer { request in
            request.path == "/moved" ? .redirect(to: "/3.png") : .ok(png)
        }
        defer { server.stop() }
        let downloader = ImageDownloader(name: "rate")
        downloader.requestRate = RequestRate(requestsPerSecond: 20)
        let start = ContinuousClock.now
        let inbox = Inbox<Bool>()
        for path in ["/moved", "/1.png", "/2.png"] {
            downloader.downloadImage(with: server.url(path), options: [.callbackQueue(.untouch)]) {
                inbox.put(reason($0) == nil)
            }
        }
        #expect(try await inbox.first(3).allSatisfy { $0 })
        // Four requests, with three intervals.
        #expect(ContinuousClock.now - start >= .milliseconds(150) && server.requestCount() == 4)
    }

    @Test("A retry waits until the host accepts requests again")
    func retry() async throws {
        let png = try TestImages.png
        let isFirst = Mutex(true)
        let server = try LoopbackServer { _ in
            let refuses = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return refuses ? .status(429, headers: [("Retry-After", "1")]) : .ok(png)
        }
        defer { server.stop() }
        let bench = try Bench()
        bench.manager.downloader = ImageDownloader(name: "retry")
        bench.manager.downloader.requestRate = .unlimited
        let strategy = ScriptedStrategy(retries: 1)
        let start = ContinuousClock.now
        _ = try await bench.retrieve(server.url("/1.png"), [.retryStrategy(strategy)]).get()
        #expect(ContinuousClock.now - start >= .seconds(1) && server.requestCount() == 2)
        #expect(strategy.questions.values.first?.latestError.isInvalidResponseStatusCode(429) == true)
    }

    @Test("A host that refuses requests for a day fails them at once, with the time")
    func longRefusal() async throws {
        let server = try LoopbackServer { _ in .status(503, headers: [("Retry-After", "86400")]) }
        defer { server.stop() }
        let downloader = ImageDownloader(name: "refused")
        downloader.requestRate = .unlimited
        #expect(reason(try await download(server.url("/1.png"), with: downloader)) == "invalidHTTPStatusCode")
        let error = try await download(server.url("/2.png"), with: downloader).failure
        guard case .resourceError(.overloaded(let seconds)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(seconds > 3_500 && seconds <= 3_600 && error?.retryAfter == seconds)
        #expect(error?.isWorthAnotherRequest == false && server.requestCount() == 1)
    }

    @Test("Without a rate, a host that refuses requests is asked again")
    func noRate() async throws {
        let server = try LoopbackServer { _ in .status(429, headers: [("Retry-After", "86400")]) }
        defer { server.stop() }
        let downloader = ImageDownloader(name: "asked")
        for path in ["/1.png", "/2.png"] {
            #expect(reason(try await download(server.url(path), with: downloader)) == "invalidHTTPStatusCode")
        }
        #expect(server.requestCount() == 2)
    }

    @Test("A download that waits for its host is cancelled at once")
    func cancellation() async throws {
        let bench = try Bench()
        bench.downloader.requestRate = RequestRate(requestsPerSecond: 0.001)
        _ = try await bench.retrieve(Bench.freshURL()).get()
        let inbox = Inbox<KingfisherError?>()
        let task = bench.manager.retrieveImage(with: bench.url) { inbox.put($0.failure) }
        #expect(await poll { task?.sessionTask != nil })
        task?.cancel()
        #expect(try await inbox.first()?.isTaskCancelled == true)
        #expect(bench.stub.requests.count == 1)
    }

    @Test("A raised rate applies to waiting downloads")
    func change() async throws {
        let bench = try Bench()
        bench.downloader.requestRate = RequestRate(requestsPerSecond: 0.001)
        _ = try await bench.retrieve(Bench.freshURL()).get()
        let inbox = Inbox<String?>()
        bench.manager.retrieveImage(with: bench.url) { inbox.put(reason($0)) }
        bench.downloader.requestRate = RequestRate(requestsPerSecond: 1_000)
        #expect(try await inbox.first() == nil)
    }
}

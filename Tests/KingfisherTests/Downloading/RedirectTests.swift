import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing
import TestHelpers

@Suite struct DownloadRedirectTests {
    private func bench() throws -> Bench {
        let png = try TestImages.png
        return try Bench { request in
            switch request.url?.path {
            case "/end": .ok(png)
            case "/other": .ok(Data([9]))
            default: .redirect(to: "/end")
            }
        }
    }

    @Test(
        "Without a handler redirects are followed; the result keeps the requested URL",
        .behaviours("N-26"))
    func followed() async throws {
        let bench = try bench()
        let result = try await bench.downloader.downloadImage(with: bench.url)
        #expect(bench.stub.requests.map { $0.url?.path } == [bench.url.path, "/end"])
        #expect(result.url == bench.url)
        #expect(result.metrics?.redirectCount == 1)
        #expect(result.metrics?.httpStatusCode == 200)
    }

    @Test("The handler gets task, response and new request, and may change the request", .behaviours("N-26"))
    func handlerChanges() async throws {
        let bench = try bench()
        let seen = Inbox<[String?]>()
        let handler = AnyRedirectHandler { task, response, request, answer in
            seen.put([task.originalURL?.path, "\(response.statusCode)", request.url?.path])
            var request = request
            request.setValue("seen", forHTTPHeaderField: "X-Redirect")
            answer(request)
        }
        _ = try await bench.downloader.downloadImage(with: bench.url, options: [.redirectHandler(handler)])
        #expect(seen.values == [[bench.url.path, "302", "/end"]])
        #expect(bench.stub.requests.last?.value(forHTTPHeaderField: "X-Redirect") == "seen")
    }

    @Test("If the handler refuses, the redirect response is the result", .behaviours("N-26"))
    func handlerRefuses() async throws {
        let bench = try bench()
        let handler = AnyRedirectHandler { _, _, _, answer in answer(nil) }
        let error = await #expect(throws: KingfisherError.self) {
            _ = try await bench.downloader.downloadImage(
                with: bench.url, options: [.redirectHandler(handler)])
        }
        // 302 is a valid status; its empty body is not an image.
        #expect(error?.reasonName == "processingFailed")
        #expect(bench.stub.requests.count == 1)
    }

    @Test("The handler of any attached caller is called", .behaviours("N-26"))
    func anyCallersHandler() async throws {
        let bench = try bench()
        bench.stub.hold()
        let calls = Inbox<Void>()
        let handler = AnyRedirectHandler { _, _, request, answer in
            calls.put()
            answer(request)
        }
        let done = Inbox<Result<ImageLoadingResult, KingfisherError>>()
        bench.downloader.downloadImage(with: bench.url) { done.put($0) }
        bench.downloader.downloadImage(with: bench.url, options: [.redirectHandler(handler)]) { done.put($0) }
        bench.stub.release()
        #expect(try await done.first(2).allSatisfy { reason($0) == nil })
        #expect(calls.count == 1)
    }

    @Test("Cancelling while a handler decides completes once, with taskCancelled", .behaviours("N-26"))
    func cancelWhileDeciding() async throws {
        let bench = try bench()
        let pending = Inbox<@Sendable () -> Void>()
        let handler = AnyRedirectHandler { _, _, request, answer in pending.put { answer(request) } }
        let done = Inbox<Result<ImageLoadingResult, KingfisherError>>()
        let task = bench.downloader.downloadImage(with: bench.url, options: [.redirectHandler(handler)]) {
            done.put($0)
        }
        let answer = try await pending.first()
        task.cancel()
        #expect(try await done.first().failure?.isTaskCancelled == true)
        answer()
        #expect(await poll { bench.stub.liveTransfers == 0 })
        await passMainQueue()
        #expect(done.count == 1)
        #expect(bench.stub.requests.count == 1)
    }

    @Test("Metrics are present for a response in the 200s, and only then", .behaviours("N-27"))
    func metrics() async throws {
        let png = try TestImages.png
        let good = try await Bench(serving: png).run()
        #expect(good.metrics?.httpStatusCode == 200)
        #expect(good.metrics?.responseBodyBytesReceived == Int64(png.count))
        let other = try await Bench { _ in StubAnswer(status: 304, body: png) }.run()
        #expect(other.metrics == nil)
    }
}

extension Bench {
    fileprivate func run() async throws -> ImageLoadingResult {
        try await downloader.downloadImage(with: url)
    }
}

import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct DownloadTests {
    let box: Sandbox

    init() throws {
        box = try Sandbox()
    }

    @Test("A download with await uses no cache")
    func awaits() async throws {
        let url = box.url("JPEG/420.jpg")
        let result = try await box.downloader.downloadImage(with: url)
        #expect(result.image.size == CGSize(width: 48, height: 36) && result.url == url)
        #expect(result.originalData == (try Fixtures.data(named: "JPEG/420.jpg")))
        #expect(!box.cache.isCached(forKey: url.cacheKey))
    }

    @Test("A download with a completion handler reports progress")
    func callsBack() async throws {
        let (steps, size) = (Shared<[Int64]>([]), try Fixtures.data(named: "Photos/rocket.jpg").count)
        let result: Result<ImageLoadingResult, KingfisherError> = await answer { done in
            let task = box.downloader.downloadImage(
                with: box.url("Photos/rocket.jpg"), options: [.callbackQueue(.mainAsync)],
                progressBlock: { received, total in steps.change { $0.append(received * 100 / total) } },
                completionHandler: done)
            #expect(task.isInitialized && task.cancelToken != nil)
            #expect(task.sessionTask?.originalURL == box.url("Photos/rocket.jpg"))
        }
        #expect(try result.get().originalData.count == size && steps.value.last == 100)
    }

    @Test("A download accepts parsed options")
    func parsedOptions() async throws {
        var options = KingfisherParsedOptionsInfo([.scaleFactor(2)])
        options.processor = CroppingImageProcessor(size: CGSize(width: 8, height: 6))
        let result = try await box.downloader.downloadImage(with: box.url("JPEG/420.jpg"), options: options)
        #expect(result.image.size == CGSize(width: 8, height: 6) && result.image.scale == 2)
    }

    @Test("Concurrent downloads share a request, and one of them can be cancelled")
    func shares() async throws {
        let url = box.url("slow/PNG/rgb8.png")
        let outcomes = Shared<[Result<ImageLoadingResult, KingfisherError>]>([])
        let tasks = (0..<3).map { _ in
            box.downloader.downloadImage(with: url, options: nil) { result in
                outcomes.change { $0.append(result) }
            }
        }
        #expect(Set(tasks.compactMap(\.cancelToken)).count == 3)
        #expect(tasks[0].sessionTask === tasks[1].sessionTask)
        tasks[1].cancel()
        #expect(await box.server.wait { $0.requestCount() == 1 })
        box.gate.release()
        #expect(await poll { outcomes.value.count == 3 })
        let errors = outcomes.value.compactMap { result -> KingfisherError? in
            if case .failure(let error) = result { error } else { nil }
        }
        #expect(errors.count == 1 && errors[0].isTaskCancelled && box.server.requestCount() == 1)
    }

    @Test("Downloads are cancelled by URL, or all together")
    func cancels() async {
        let cancelled = Shared<[URL]>([])
        let urls = ["slow/PNG/rgb8.png", "slow/PNG/gray8.png"].map(box.url)
        for url in urls {
            box.downloader.downloadImage(with: url) { result in
                if case .failure(let error) = result, error.isTaskCancelled {
                    cancelled.change { $0.append(url) }
                }
            }
        }
        box.downloader.cancel(url: urls[1])
        #expect(await poll { cancelled.value == [urls[1]] })
        box.downloader.cancelAll()
        #expect(await poll { cancelled.value == [urls[1], urls[0]] })
    }

    @Test("A download reports its metrics")
    func metrics() async throws {
        let value = try await box.manager.retrieveImage(with: box.url("moved/Photos/rocket.jpg"))
        let metrics = try #require(value.metrics)
        #expect(metrics.httpStatusCode == 200 && metrics.redirectCount == 1)
        #expect(metrics.responseBodyBytesReceived >= 29_620 && metrics.requestBodyBytesSent == 0)
        #expect(metrics.totalRequestDuration > 0 && metrics.secureConnectionDuration == nil)
        #expect((metrics.downloadSpeed ?? 0) > 0 && (metrics.downloadSpeedMBps ?? 0) > 0)
        let cached = try await box.manager.retrieveImage(with: box.url("moved/Photos/rocket.jpg"))
        #expect(cached.metrics == nil)
    }

    @Test("The headers of the session configuration are sent with each request")
    func sessionHeaders() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-Token": "open sesame"]
        configuration.timeoutIntervalForRequest = 20
        box.downloader.sessionConfiguration = configuration
        let result = try await box.downloader.downloadImage(with: box.url("members/PNG/rgb8.png"))
        #expect(result.image.size.width == 33)
    }

    @Test("A slow server causes a timeout")
    func timeout() async throws {
        box.downloader.downloadTimeout = 0.2
        #expect(!box.downloader.requestsUsePipelining)
        let error = await #expect(throws: KingfisherError.self) {
            try await box.downloader.downloadImage(with: box.url("slow/PNG/rgb8.png"))
        }
        guard case .responseError(reason: .URLSessionError(let cause))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect((cause as NSError).code == NSURLErrorTimedOut)
    }

    @Test("A trusted host may have a self-signed certificate")
    func trustedHosts() async throws {
        let image = try Fixtures.data(named: "PNG/rgb8.png")
        let server = try LoopbackServer(tls: ServerTLS()) { _ in .ok(image) }
        defer { server.stop() }
        await #expect(throws: KingfisherError.self) {
            try await box.downloader.downloadImage(with: server.url("/a.png"))
        }
        box.downloader.trustedHosts = ["127.0.0.1", "localhost"]
        #expect(try await box.downloader.downloadImage(with: server.url("/a.png")).image.size.width == 33)
    }
}

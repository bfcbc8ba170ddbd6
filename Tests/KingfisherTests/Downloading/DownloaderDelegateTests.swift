import Foundation
import Kingfisher
import KingfisherTestSupport
import Synchronization
import Testing
import TestHelpers

@Suite struct DownloaderDelegateTests {
    typealias Outcome = Result<ImageLoadingResult, KingfisherError>

    private func download(
        _ bench: Bench, _ delegate: any ImageDownloaderDelegate, _ options: KingfisherOptionsInfo = []
    ) async throws -> Outcome {
        bench.downloader.delegate = delegate
        let result: Outcome = try await outcome {
            bench.downloader.downloadImage(with: bench.url, options: options, completionHandler: $0)
        }
        // The downloader holds it weakly.
        withExtendedLifetime(delegate) {}
        return result
    }

    @Test("A success is reported once, without an error, before the completion", .behaviours("N-8"))
    func success() async throws {
        let bench = try Bench()
        let delegate = RecordingDelegate()
        bench.downloader.delegate = delegate
        let reported: [RecordingDelegate.Event] = try await outcome { done in
            bench.downloader.downloadImage(with: bench.url, options: [.callbackQueue(.untouch)]) { _ in
                done(delegate.events.values)
            }
        }
        #expect(reported == [.willDownload(bench.url), .finished(bench.url, reason: nil), .image(bench.url)])
        #expect(delegate.finishes == 1)
    }

    @Test("A downloader as its own delegate changes nothing")
    func downloaderAsDelegate() async throws {
        let bench = try Bench()
        #expect(try await download(bench, bench.downloader).get().url == bench.url)
        let missing = try Bench { _ in StubAnswer(status: 404) }
        let outcome = try await download(missing, missing.downloader)
        #expect(outcome.failure?.isInvalidResponseStatusCode(404) == true)
    }

    @Test("A download that its delegate cancels before the start is never sent")
    func cancelBeforeStart() async throws {
        final class Canceller: ImageDownloaderDelegate, Sendable {
            func imageDownloader(
                _ downloader: ImageDownloader, willDownloadImageForURL url: URL, with request: URLRequest?
            ) { downloader.cancel(url: url) }
        }
        let bench = try Bench()
        #expect(reason(try await download(bench, Canceller())) == "taskCancelled")
        #expect(bench.stub.requests.isEmpty)
    }

    @Test("A delegate may download the same URL from inside its callbacks", arguments: [false, true])
    func downloadFromCallback(atEnd: Bool) async throws {
        final class Downloader: ImageDownloaderDelegate, Sendable {
            let atEnd: Bool
            let inner = Inbox<Outcome>()
            private let isFirst = Mutex(true)

            init(atEnd: Bool) { self.atEnd = atEnd }

            private func download(_ url: URL, _ downloader: ImageDownloader) {
                let isFirst = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                guard isFirst else { return }
                downloader.downloadImage(with: url) { self.inner.put($0) }
            }

            func imageDownloader(
                _ downloader: ImageDownloader, willDownloadImageForURL url: URL, with request: URLRequest?
            ) { if !atEnd { download(url, downloader) } }

            func imageDownloader(
                _ downloader: ImageDownloader, didFinishDownloadingImageForURL url: URL,
                with response: URLResponse?, error: (any Error)?
            ) { if atEnd { download(url, downloader) } }
        }
        let bench = try Bench()
        let delegate = Downloader(atEnd: atEnd)
        #expect(reason(try await download(bench, delegate)) == nil)
        #expect(reason(try await delegate.inner.first()) == nil)
        #expect(bench.stub.requests.count == (atEnd ? 2 : 1))
    }

    @Test("If a delegate and a downloader are released during a transfer, the completion still runs")
    func released() async throws {
        let stub = StubTransport { _ in .ok((try? TestImages.png) ?? Data()) }
        stub.hold()
        let inbox = Inbox<Outcome>()
        weak var weakDownloader: ImageDownloader?
        do {
            let downloader = ImageDownloader(name: "released", transport: stub)
            weakDownloader = downloader
            let delegate = RecordingDelegate()
            downloader.delegate = delegate
            downloader.downloadImage(with: Bench.freshURL()) { inbox.put($0) }
        }
        stub.release()
        #expect(reason(try await inbox.first()) == nil)
        #expect(await poll { weakDownloader == nil })
    }

    @Test("Each kind of failure is reported once, with its error, before the completion", .behaviours("N-8"))
    func failures() async throws {
        let cases: [(StubAnswer, RecordingDelegate.Answers, String)] = [
            (StubAnswer(status: 404), .init(), "invalidHTTPStatusCode"),
            (.failure(.connectionLost("test")), .init(), "URLSessionError"),
            (.ok(try TestImages.png), .init(dataForURL: { _ in nil }), "dataModifyingFailed"),
            (.ok(try TestImages.png), .init(disposition: .cancel), "cancelledByDelegate"),
        ]
        for (answer, answers, name) in cases {
            let bench = try Bench { _ in answer }
            let delegate = RecordingDelegate(answers)
            #expect(reason(try await download(bench, delegate)) == name)
            #expect(delegate.events.values == [.willDownload(bench.url), .finished(bench.url, reason: name)])
        }
    }

    @Test("A network failure is reported before the completion", .behaviours("N-8"))
    func failureOrder() async throws {
        let bench = try Bench { _ in StubAnswer(status: 500) }
        let delegate = RecordingDelegate()
        bench.downloader.delegate = delegate
        let finishes: Int = try await outcome { done in
            bench.downloader.downloadImage(with: bench.url, options: [.callbackQueue(.untouch)]) { _ in
                done(delegate.finishes)
            }
        }
        #expect(finishes == 1)
    }

    @Test("A processing failure is reported as a successful download", .behaviours("N-8"))
    func processingFailure() async throws {
        let bench = try Bench(serving: TestImages.garbage)
        let delegate = RecordingDelegate()
        #expect(reason(try await download(bench, delegate)) == "processingFailed")
        #expect(delegate.events.values == [.willDownload(bench.url), .finished(bench.url, reason: nil)])
    }

    @Test(
        "Callers that share a download get one report; a cancelled one is reported with its error",
        .behaviours("N-8"))
    func sharedReports() async throws {
        let bench = try Bench()
        bench.stub.hold()
        let delegate = RecordingDelegate()
        bench.downloader.delegate = delegate
        let inbox = Inbox<Outcome>()
        let tasks = (0..<3).map { _ in bench.downloader.downloadImage(with: bench.url) { inbox.put($0) } }
        tasks[0].cancel()
        bench.stub.release()
        _ = try await inbox.first(3)
        #expect(
            delegate.events.values == [
                .willDownload(bench.url), .finished(bench.url, reason: "taskCancelled"),
                .finished(bench.url, reason: nil), .image(bench.url),
            ])
    }

    @Test("A delegate may replace the data", .behaviours("N-9"))
    func replacedData() async throws {
        let jpeg = try TestImages.jpeg
        let bench = try Bench()
        let result = try await download(bench, RecordingDelegate(.init(dataForURL: { _ in jpeg }))).get()
        #expect(result.originalData == jpeg)
        #expect(samePixels(result.image, try TestImages.image(jpeg)))
    }

    @Test(
        "The task-based data method is called first; if implemented, the other one is not called",
        .behaviours("N-9"))
    func taskHookFirst() async throws {
        let png = try TestImages.png
        let bench = try Bench(serving: Data([1]))
        let delegate = TaskDataDelegate(png)
        #expect(try await download(bench, delegate).get().originalData == png)
        #expect(delegate.asked.values == ["task"])
    }

    @Test("Nil from the task-based method fails with dataModifyingFailed", .behaviours("N-9"))
    func taskHookRefuses() async throws {
        let bench = try Bench()
        #expect(reason(try await download(bench, TaskDataDelegate(nil))) == "dataModifyingFailed")
    }

    @Test("The response hook sees status, original URL and custom headers", .behaviours("N-10"))
    func responseHook() async throws {
        let png = try TestImages.png
        let bench = try Bench { _ in StubAnswer(status: 203, headers: ["X-Custom": "yes"], body: png) }
        let delegate = RecordingDelegate()
        #expect(reason(try await download(bench, delegate)) == nil)
        let response = try #require(delegate.responses.values.first as? HTTPURLResponse)
        #expect(delegate.responses.count == 1)
        #expect(response.statusCode == 203)
        #expect(response.url == bench.url)
        #expect(response.value(forHTTPHeaderField: "X-Custom") == "yes")
    }

    @Test(
        "Cancelling in the response hook fails with cancelledByDelegate and the response", .behaviours("N-10")
    )
    func responseRefused() async throws {
        let bench = try Bench()
        let result = try await download(bench, RecordingDelegate(.init(disposition: .cancel)))
        guard case .responseError(.cancelledByDelegate(let response)) = result.failure else {
            Issue.record("\(result)")
            return
        }
        #expect(response.url == bench.url)
        #expect(await poll { bench.stub.liveTransfers == 0 })
    }

    @Test("The response hook is not called for an invalid status", .behaviours("N-10"))
    func badStatusIsNotAsked() async throws {
        let bench = try Bench { _ in StubAnswer(status: 404) }
        let delegate = RecordingDelegate()
        let error = try #require(await download(bench, delegate).failure)
        #expect(delegate.responses.count == 0)
        #expect(error.isInvalidResponseStatusCode)
        #expect(error.isInvalidResponseStatusCode(404))
        #expect(!error.isInvalidResponseStatusCode(500))
    }

    @Test(
        "Statuses of 200..<400 are valid by default", .behaviours("N-11"),
        arguments: [
            (200, true), (299, true), (304, true), (399, true), (199, false), (400, false), (404, false),
            (500, false),
        ])
    func validStatuses(status: Int, isValid: Bool) async throws {
        let png = try TestImages.png
        let bench = try Bench { _ in StubAnswer(status: status, body: png) }
        let result: Outcome = try await outcome {
            bench.downloader.downloadImage(with: bench.url, completionHandler: $0)
        }
        #expect(reason(result) == (isValid ? nil : "invalidHTTPStatusCode"))
    }

    @Test("The delegate decides which statuses are valid", .behaviours("N-11"))
    func ownStatuses() async throws {
        let png = try TestImages.png
        let bench = try Bench { _ in StubAnswer(status: 404, body: png) }
        #expect(
            reason(try await download(bench, RecordingDelegate(.init(validStatus: { $0 == 404 })))) == nil)
        let strict = try Bench()
        let refused = try await download(strict, RecordingDelegate(.init(validStatus: { _ in false })))
        #expect(refused.failure?.isInvalidResponseStatusCode(200) == true)
    }

    @Test("A transport error is delivered with the original error", .behaviours("N-12"))
    func transportError() async throws {
        let bench = try Bench { _ in .failure(.timedOut(.connect)) }
        let result: Outcome = try await outcome {
            bench.downloader.downloadImage(with: bench.url, completionHandler: $0)
        }
        guard case .responseError(.URLSessionError(let error)) = result.failure else {
            Issue.record("\(result)")
            return
        }
        #expect((error as NSError).domain == NSURLErrorDomain)
        #expect((error as NSError).code == URLError.Code.timedOut.rawValue)
    }

    @Test(
        "An empty or undecodable body fails processing", .behaviours("N-13"),
        arguments: [Data(), Data([1, 2, 3]), Data("<html>".utf8)])
    func brokenBody(body: Data) async throws {
        let bench = try Bench(serving: body)
        let result: Outcome = try await outcome {
            bench.downloader.downloadImage(with: bench.url, completionHandler: $0)
        }
        guard case .processorError(.processingFailed(let processor, .data(let data))) = result.failure else {
            Issue.record("\(result)")
            return
        }
        #expect(data == body)
        #expect(processor.identifier == "")
    }

    @Test("The delegate is held weakly")
    func weakDelegate() throws {
        let bench = try Bench()
        do {
            let delegate = RecordingDelegate()
            bench.downloader.delegate = delegate
            #expect(bench.downloader.delegate === delegate)
        }
        #expect(bench.downloader.delegate == nil)
    }
}

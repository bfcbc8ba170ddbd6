import Foundation
import Kingfisher
import KingfisherTestSupport
import Synchronization
import Testing
import TestHelpers

@Suite struct DownloadOrderTests {
    private final class Journal: ImageDownloaderDelegate, Sendable {
        let lines = Inbox<String>()

        func imageDownloader(
            _ downloader: ImageDownloader, willDownloadImageForURL url: URL, with request: URLRequest?
        ) { lines.put("will") }

        func imageDownloader(
            _ downloader: ImageDownloader, didFinishDownloadingImageForURL url: URL,
            with response: URLResponse?,
            error: (any Error)?
        ) { lines.put("finished \((error as? KingfisherError)?.reasonName ?? "well")") }
    }

    private struct Modifier: AsyncImageDownloadRequestModifier {
        let name: String
        let journal: Journal

        func modified(for request: URLRequest) async -> URLRequest? { request }

        var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? {
            { [name, journal] task in
                journal.lines.put("\(name) \(task?.isInitialized == true ? "linked" : "not linked")")
            }
        }
    }

    @Test(
        "With several callers and one cancel, delegate, modifiers and completions are called in order",
        .behaviours("N-8", "N-14", "N-23"))
    func severalCallers() async throws {
        let bench = try Bench()
        bench.stub.hold()
        let journal = Journal()
        bench.downloader.delegate = journal
        var tasks: [DownloadTask] = []
        for name in ["a", "b", "c"] {
            let count = journal.lines.count
            tasks.append(
                bench.downloader.downloadImage(
                    with: bench.url,
                    options: [
                        .requestModifier(Modifier(name: name, journal: journal)), .callbackQueue(.untouch),
                    ]
                ) { result in journal.lines.put("\(name) \(reason(result) ?? "done")") })
            #expect(await poll { journal.lines.count >= count + (name == "a" ? 2 : 1) })
        }
        #expect(journal.lines.values == ["a linked", "will", "b linked", "c linked"])
        tasks[1].cancel()
        #expect(journal.lines.values.suffix(2) == ["finished taskCancelled", "b taskCancelled"])
        bench.stub.release()
        let all = try await journal.lines.first(9)
        #expect(all.suffix(3) == ["finished well", "a done", "c done"])
        #expect(bench.stub.requests.count == 1)
        withExtendedLifetime(journal) {}
    }

    @Test("The task has its metrics before any completion, for successful statuses", .behaviours("N-17"))
    func metrics() async throws {
        let png = try TestImages.png
        let server = try LoopbackServer { request in
            request.path == "/1" ? .redirect(to: "/2") : .ok(png)
        }
        defer { server.stop() }
        let downloader = ImageDownloader(name: "metrics")
        let tasks = Inbox<DownloadTask>()
        let seen: NetworkMetrics? = try await outcome { done in
            let task = downloader.downloadImage(with: server.url("/1"), options: [.callbackQueue(.untouch)]) {
                _ in
                Task { done(try? await tasks.first().sessionTask?.metrics) }
            }
            tasks.put(task)
        }
        let metrics = try #require(seen)
        #expect(metrics.httpStatusCode == 200 && metrics.redirectCount == 1)
        #expect(metrics.responseBodyBytesReceived == Int64(png.count) && metrics.requestBodyBytesSent == 0)
        #expect(metrics.totalRequestDuration > 0 && metrics.retrieveImageDuration == nil)
        #expect(metrics.domainLookupDuration == nil && metrics.secureConnectionDuration == nil)
        let speed = try #require(metrics.downloadSpeed)
        #expect(abs(speed - Double(png.count) / metrics.totalRequestDuration) < 1)
        #expect(metrics.downloadSpeedMBps == speed / 1_048_576)
    }
}

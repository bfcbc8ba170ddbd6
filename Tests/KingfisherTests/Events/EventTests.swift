import Foundation
import FoundationNetworking
import KingfisherTestSupport
import Synchronization
import TestHelpers
import Testing

@testable import Kingfisher

/// Events are process-wide; each test observes only its own URLs.
@Suite struct EventTests {
    private final class Observer: KingfisherEventObserver {
        let events = Inbox<KingfisherEvent>()
        private let part: String

        /// Observes `url` only.
        init(_ url: URL) { part = url.eventText }

        func kingfisher(didReport event: KingfisherEvent) {
            if event.subject.contains(part) { events.put(event) }
        }

        var names: [String] { events.values.map(\.name) }
    }

    private func observe(_ url: URL, _ work: (Observer) async throws -> Void) async throws {
        let observer = Observer(url)
        KingfisherEvents.add(observer)
        KingfisherEvents.add(observer)
        defer { KingfisherEvents.remove(observer) }
        try await work(observer)
    }

    @Test("An image reports events when it comes from its source, then from memory, then from disk")
    func cacheTiers() async throws {
        let bench = try Bench()
        try await observe(bench.url) { observer in
            _ = try await bench.retrieve(bench.url, [.waitForCache]).get()
            #expect(
                observer.names == [
                    "request.began", "download.started", "download.finished", "image.processed",
                    "image.stored", "request.finished",
                ])
            let bytes = try TestImages.png.count
            guard case .downloadFinished(bench.url, 200, bytes, let duration) = observer.events.values[2],
                case .stored(bench.url.absoluteString, let stored) = observer.events.values[4],
                case .requestFinished(_, .none, let whole) = observer.events.values[5]
            else {
                Issue.record("\(observer.events.values)")
                return
            }
            #expect(duration > 0 && whole >= duration)
            let file = try #require(bench.filesOnDisk.first)
            let data = try Data(contentsOf: bench.cache.diskStorage.directoryURL.appendingPathComponent(file))
            #expect(stored == data.count)
            _ = try await bench.retrieve(bench.url).get()
            bench.cache.clearMemoryCache()
            _ = try await bench.retrieve(bench.url).get()
            let later = observer.events.values.dropFirst(6)
            #expect(
                later.map(\.name) == [
                    "request.began", "request.finished", "request.began", "request.finished",
                ])
            #expect(later.compactMap { $0.details["from"] } == ["memory", "disk"])
        }
    }

    @Test("Sharing, redirects, failures and cancels are reported")
    func otherOutcomes() async throws {
        let png = try TestImages.png
        let bench = try Bench { request in
            switch request.url?.query {
            case "removed": StubAnswer(status: 410)
            case "moved": .redirect(to: "/elsewhere")
            default: .ok(png)
            }
        }
        func url(_ query: String) throws -> URL {
            try #require(URL(string: Bench.freshURL().absoluteString + "?" + query))
        }
        let removed = try url("removed")
        try await observe(removed) { observer in
            _ = try await bench.retrieve(removed)
            #expect(
                observer.names == ["request.began", "download.started", "download.failed", "request.failed"])
            #expect(observer.events.values.last?.details["error"] == "invalidHTTPStatusCode 410")
        }
        let moved = try url("moved")
        try await observe(moved) { observer in
            _ = try await bench.downloader.downloadImage(with: moved)
            #expect(observer.names.prefix(2) == ["download.started", "download.redirected"])
            #expect(
                observer.events.values[1].details == ["status": "302", "to": "http://stub.invalid/elsewhere"])
        }
        bench.stub.hold()
        try await observe(bench.url) { observer in
            let done = Inbox<Result<RetrieveImageResult, KingfisherError>>()
            let tasks = (0..<2).map { _ in
                bench.manager.retrieveImage(with: .network(bench.url), completionHandler: { done.put($0) })
            }
            #expect(await poll { observer.names.contains("download.joined") || observer.names.count >= 3 })
            for task in tasks { task?.cancel() }
            _ = try await done.first(2)
            #expect(await poll { observer.names.count { $0 == "request.cancelled" } == 2 })
        }
        bench.stub.release()
    }

    @Test("A retry is reported with the error that caused it")
    func retries() async throws {
        let png = try TestImages.png
        let isFirst = Mutex(true)
        let bench = try Bench { _ in
            let fails = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return fails ? StubAnswer(status: 503) : .ok(png)
        }
        try await observe(bench.url) { observer in
            let strategy = DelayRetryStrategy(maxRetryCount: 2, retryInterval: .seconds(0))
            _ = try await bench.retrieve(bench.url, [.retryStrategy(strategy)]).get()
            let retried = observer.events.values.filter { $0.name == "request.retried" }
            #expect(retried.map(\.details) == [["attempt": "1", "error": "invalidHTTPStatusCode 503"]])
            #expect(observer.names.contains("request.finished"))
        }
    }

    @Test(
        "Events and errors contain no user name and no password, however the URL is spelled",
        arguments: ["http://user:pass@", "http:///user:pass@", "http:/user:pass@", "http://h/user:pass@"])
    func secrets(start: String) async throws {
        let bench = try Bench { request in
            request.url?.host == "stub.invalid" ? .ok((try? TestImages.png) ?? Data()) : .failure(.cancelled)
        }
        let text = bench.url.absoluteString.replacing("http://", with: start)
        let url = try #require(URL(string: text))
        try await observe(URL(filePath: bench.url.path)) { observer in
            let result = try await bench.retrieve(url, [.waitForCache])
            #expect(result.failure?.errorDescription?.contains("pass") != true)
            #expect(observer.events.count > 2)
            for event in observer.events.values {
                #expect(!"\(event.subject) \(event.details)".contains("pass"), "\(event.name)")
            }
        }
    }

    @Test("A removed observer gets no events, and events are no longer created")
    func removed() async throws {
        let bench = try Bench()
        let observer = Observer(bench.url)
        KingfisherEvents.add(observer)
        KingfisherEvents.remove(observer)
        _ = try await bench.retrieve().get()
        #expect(observer.events.count == 0)
    }
}

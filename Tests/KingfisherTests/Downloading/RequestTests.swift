import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing
import TestHelpers

@Suite struct DownloadRequestTests {
    typealias Outcome = Result<ImageLoadingResult, KingfisherError>

    @Test(
        "The request is a GET that ignores local caches, with the downloader's timeout", .behaviours("N-24"))
    func request() async throws {
        let bench = try Bench()
        #expect(bench.downloader.downloadTimeout == 15)
        bench.downloader.downloadTimeout = 7
        _ = try await bench.downloader.downloadImage(with: bench.url)
        let request = try #require(bench.stub.requests.first)
        #expect(request.httpMethod == "GET")
        #expect(request.cachePolicy == .reloadIgnoringLocalCacheData)
        #expect(request.timeoutInterval == 7)
    }

    @Test(
        "A synchronous modifier runs before the call returns; the result has the modified URL",
        .behaviours("N-14"))
    func synchronousModifier() async throws {
        let bench = try Bench()
        let modified = Bench.freshURL()
        let modifier = AnyModifier { _ in URLRequest(url: modified) }
        let nonsense = try #require(URL(string: "nonsense"))
        let inbox = Inbox<Outcome>()
        let task = bench.downloader.downloadImage(with: nonsense, options: [.requestModifier(modifier)]) {
            inbox.put($0)
        }
        #expect(task.isInitialized)
        #expect(task.sessionTask?.originalURL == modified)
        #expect(try await inbox.first().get().url == modified)
        #expect(bench.stub.requests.map(\.url) == [modified])
    }

    @Test("A request is modified once, even if its cache gets another image meanwhile")
    func cacheChangesDuringModification() async throws {
        let (bench, calls, other) = (try Bench(), Inbox<Int>(), try TestImages.image)
        let modifier = AnyModifier { request in
            var request = request
            let call = calls.values.count + 1
            calls.put(call)
            request.setValue("\(call)", forHTTPHeaderField: "X-Call")
            if call == 1 { bench.cache.store(other, forKey: "other", toDisk: false) }
            return request
        }
        #expect(try await bench.retrieve(nil, [.requestModifier(modifier)]).get().cacheType == .none)
        #expect(bench.stub.requests.map { $0.value(forHTTPHeaderField: "X-Call") } == ["1"])
        #expect(calls.values == [1])
    }

    @Test(
        "With an asynchronous modifier the task starts later and is reported before the completion",
        .behaviours("N-14"))
    func asynchronousModifier() async throws {
        let bench = try Bench()
        let modified = Bench.freshURL()
        let events = Inbox<String>()
        let gate = Gate()
        let modifier = SlowModifier(gate: gate, url: modified) { task in
            events.put(task?.isInitialized == true ? "started" : "no task")
        }
        let task = bench.downloader.downloadImage(with: bench.url, options: [.requestModifier(modifier)]) {
            events.put(((try? $0.get().url) ?? nil) == modified ? "completed" : "failed")
        }
        #expect(!task.isInitialized)
        #expect(bench.stub.requests.isEmpty)
        gate.open()
        #expect(try await events.first(2) == ["started", "completed"])
        #expect(task.isInitialized)
    }

    @Test("A download cancelled while its modifier runs is never sent", .behaviours("N-14"))
    func cancelDuringModification() async throws {
        let bench = try Bench()
        let gate = Gate()
        let modifier = SlowModifier(gate: gate, url: bench.url) { _ in }
        let inbox = Inbox<Outcome>()
        let task = bench.downloader.downloadImage(with: bench.url, options: [.requestModifier(modifier)]) {
            inbox.put($0)
        }
        task.cancel()
        gate.open()
        #expect(try await inbox.only().failure?.isTaskCancelled == true)
        #expect(bench.stub.requests.isEmpty)
    }

    @Test("A modifier that returns no request fails with emptyRequest", .behaviours("N-15"))
    func emptyRequest() async throws {
        let bench = try Bench()
        let inbox = Inbox<Outcome>()
        let task = bench.downloader.downloadImage(
            with: bench.url, options: [.requestModifier(AnyModifier { _ in nil })]
        ) { inbox.put($0) }
        #expect(reason(try await inbox.first()) == "emptyRequest")
        #expect(!task.isInitialized)
        #expect(bench.stub.requests.isEmpty)
    }

    @Test(
        "A request without a URL fails with invalidURL, an uninitialised task and no progress",
        .behaviours("N-15")
    )
    func invalidURL() async throws {
        let bench = try Bench()
        let modifier = AnyModifier { request in
            var request = request
            request.url = nil
            return request
        }
        let (inbox, progress) = (Inbox<Outcome>(), Inbox<Void>())
        let task = bench.downloader.downloadImage(
            with: bench.url, options: [.requestModifier(modifier)], progressBlock: { _, _ in progress.put() }
        ) { inbox.put($0) }
        guard case .requestError(.invalidURL(let request)) = try await inbox.first().failure else {
            Issue.record("\(inbox.values)")
            return
        }
        #expect(request.url == nil)
        #expect(!task.isInitialized)
        await passMainQueue()
        #expect(progress.count == 0)
    }

    @Test("The priority is set on the task when it starts", .behaviours("N-16"))
    func priority() async throws {
        let bench = try Bench()
        bench.stub.hold()
        let inbox = Inbox<Outcome>()
        let one = bench.downloader.downloadImage(with: bench.url, options: [.downloadPriority(0.8)]) {
            inbox.put($0)
        }
        let other = bench.downloader.downloadImage(with: Bench.freshURL()) { inbox.put($0) }
        #expect(one.sessionTask?.task.priority == 0.8)
        #expect(other.sessionTask?.task.priority == URLSessionTask.defaultPriority)
        bench.stub.release()
        _ = try await inbox.first(2)
    }

    @Test(
        "Link, onDownloadTaskStarted, willDownload, transfer come in order; a joining caller gets two",
        .behaviours("N-23")
    )
    func startOrder() async throws {
        let bench = try Bench()
        bench.stub.hold()
        let delegate = RecordingDelegate()
        bench.downloader.delegate = delegate
        let started = Inbox<Int>()
        let modifier = StartModifier { task in
            started.put(task?.isInitialized == true ? delegate.events.count : -1)
        }
        let inbox = Inbox<Outcome>()
        for _ in 0..<2 {
            bench.downloader.downloadImage(with: bench.url, options: [.requestModifier(modifier)]) {
                inbox.put($0)
            }
        }
        // The second caller's start follows the single willDownload report of the first caller.
        #expect(started.values == [0, 1])
        #expect(delegate.events.values == [.willDownload(bench.url)])
        bench.stub.release()
        _ = try await inbox.first(2)
    }

    @Test("The configuration's additional headers are sent; those of the request take precedence")
    func additionalHeaders() async throws {
        let bench = try Bench()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-All": "all", "X-Own": "all"]
        bench.downloader.sessionConfiguration = configuration
        let modifier = AnyModifier { request in
            var request = request
            request.setValue("own", forHTTPHeaderField: "X-Own")
            return request
        }
        _ = try await bench.downloader.downloadImage(with: bench.url, options: [.requestModifier(modifier)])
        let request = try #require(bench.stub.requests.first)
        #expect(request.value(forHTTPHeaderField: "X-All") == "all")
        #expect(request.value(forHTTPHeaderField: "X-Own") == "own")
    }
}

/// Opens once; waiting for it blocks no thread.
final class Gate: Sendable {
    private let inbox = Inbox<Void>()

    func open() { inbox.put() }

    func pass() async { _ = try? await inbox.first(1) }
}

/// Waits for a gate before it changes the URL.
private struct SlowModifier: AsyncImageDownloadRequestModifier {
    let gate: Gate
    let url: URL
    let started: @Sendable (DownloadTask?) -> Void

    var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? { started }

    func modified(for request: URLRequest) async -> URLRequest? {
        await gate.pass()
        return URLRequest(url: url)
    }
}

/// Reports the start and changes nothing.
private struct StartModifier: ImageDownloadRequestModifier {
    let started: @Sendable (DownloadTask?) -> Void

    var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? { started }

    func modified(for request: URLRequest) -> URLRequest? { request }
}

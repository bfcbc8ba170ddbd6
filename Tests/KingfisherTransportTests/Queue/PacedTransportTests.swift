import Foundation
import FoundationNetworking
import KingfisherTestSupport
import Synchronization
import Testing

@testable import KingfisherTransport

/// Rates and refusals over a stub, with short real times.
@Suite struct PacedTransportTests {
    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    private func start(
        _ text: String, on transport: any Transport, handler: Recorder = Recorder(),
        _ change: (inout TransportRequest) -> Void = { _ in }
    ) throws -> (task: any TransportTask, handler: Recorder) {
        (transport.start(request(try url(text), change), handler: handler), handler)
    }

    private func paths(_ stub: StubTransport) -> [String] { stub.requests.compactMap(\.url?.path) }

    private func refusing(_ status: Int, _ field: String?) -> StubTransport {
        StubTransport { request in
            request.url?.path == "/busy"
                ? StubAnswer(status: status, headers: field.map { ["Retry-After": $0] } ?? [:])
                : .ok(Data("x".utf8))
        }
    }

    private func queue(_ base: any Transport, perHost: Int = 6) -> QueuedTransport {
        var limits = QueuedTransport.Limits()
        limits.perHost = perHost
        let queue = QueuedTransport(base, limits: limits)
        queue.requestRate = .unlimited
        return queue
    }

    @Test("Requests beyond the burst start at the rate, and another host does not wait")
    func rate() async throws {
        let stub = StubTransport { _ in .ok(Data("x".utf8)) }
        let queue = QueuedTransport(stub)
        queue.requestRate = RequestRate(requestsPerSecond: 20, burst: 2)
        let begin = ContinuousClock.now
        let transfers = try (0..<6).map { try start("http://a.test/\($0)", on: queue) }
        #expect(paths(stub) == ["/0", "/1"] && queue.waitingTransfers == 4)
        let other = try start("http://b.test/other", on: queue)
        #expect(paths(stub).last == "/other")
        _ = try await other.handler.result().get()
        for transfer in transfers { _ = try await transfer.handler.result().get() }
        #expect(ContinuousClock.now - begin >= .milliseconds(200))
        #expect(paths(stub).sorted() == (0..<6).map { "/\($0)" } + ["/other"])
    }

    @Test("A transfer that waits for the rate is cancelled at once and takes no token")
    func cancelWhileWaiting() async throws {
        let stub = StubTransport { _ in .ok(Data()) }
        let queue = QueuedTransport(stub)
        queue.requestRate = RequestRate(requestsPerSecond: 0.001)
        _ = try await start("http://a.test/1", on: queue).handler.result().get()
        let waiting = try (2...51).map { try start("http://a.test/\($0)", on: queue) }
        #expect(queue.waitingTransfers == 50)
        for transfer in waiting.dropLast() { transfer.task.cancel() }
        for transfer in waiting.dropLast() { #expect(try await transfer.handler.error() == .cancelled) }
        #expect(queue.waitingTransfers == 1 && paths(stub) == ["/1"])
        queue.requestRate = nil
        _ = try await waiting[49].handler.result().get()
        #expect(paths(stub) == ["/1", "/51"])
    }

    @Test("A cancel of all that waits releases the queue")
    func release() async throws {
        let stub = StubTransport { _ in .ok(Data()) }
        weak var released: QueuedTransport?
        try await {
            let queue = QueuedTransport(stub)
            released = queue
            queue.requestRate = RequestRate(requestsPerSecond: 0.001)
            _ = try await start("http://a.test/1", on: queue).handler.result().get()
            let waiting = try start("http://a.test/2", on: queue)
            waiting.task.cancel()
            #expect(try await waiting.handler.error() == .cancelled)
        }()
        #expect(await poll { released == nil })
    }

    @Test("The wait for the rate counts for no time limit")
    func timeLimits() async throws {
        let stub = StubTransport { request in
            request.url?.path == "/moved" ? .redirect(to: "http://b.test/1") : .ok(Data("x".utf8))
        }
        let queue = QueuedTransport(stub)
        queue.requestRate = RequestRate(requestsPerSecond: 4)
        let begin = ContinuousClock.now
        _ = try await start("http://b.test/0", on: queue).handler.result().get()
        let moved = request(try url("http://a.test/moved")) { request in
            request.limits.total = .milliseconds(150)
            request.limits.idle = .milliseconds(150)
        }
        _ = try await HTTPFetch(queue).run(moved).metrics()
        // The hop to the second host has waited for the token that its first request took.
        #expect(ContinuousClock.now - begin >= .milliseconds(250))
        #expect(paths(stub) == ["/0", "/moved", "/1"])
    }

    @Test("After a 429 its host gets no request, and other hosts do")
    func tooManyRequests() async throws {
        let stub = refusing(429, "50")
        let queue = queue(stub)
        let refused = try start("http://a.test/busy", on: queue)
        _ = try await refused.handler.result().get()
        #expect(refused.handler.now.head?.statusCode == 429)
        let next = try start("http://a.test/next", on: queue)
        let same = try start("HTTP://A.Test:80/same", on: queue)
        for address in ["http://b.test/", "http://a.test:81/", "https://a.test/"] {
            _ = try await start(address + "other", on: queue).handler.result().get()
        }
        #expect(queue.waitingTransfers == 2 && paths(stub) == ["/busy", "/other", "/other", "/other"])
        for waiting in [next, same] {
            waiting.task.cancel()
            #expect(try await waiting.handler.error() == .cancelled)
        }
    }

    @Test("After a 429 without Retry-After its host gets the next request a second later")
    func standardWait() async throws {
        let stub = refusing(429, nil)
        let queue = queue(stub)
        let begin = ContinuousClock.now
        _ = try await start("http://a.test/busy", on: queue).handler.result().get()
        _ = try await start("http://a.test/next", on: queue).handler.result().get()
        #expect(ContinuousClock.now - begin >= .seconds(1) && paths(stub) == ["/busy", "/next"])
    }

    @Test("Without a rate, refusals delay nothing")
    func withoutRate() async throws {
        let stub = refusing(429, "3600")
        let queue = QueuedTransport(stub)
        _ = try await start("http://a.test/busy", on: queue).handler.result().get()
        _ = try await start("http://a.test/next", on: queue).handler.result().get()
        #expect(paths(stub) == ["/busy", "/next"])
    }

    @Test("A transfer that its handler starts on a 429 waits, too")
    func nestedStart() async throws {
        let stub = refusing(429, "600")
        let queue = queue(stub)
        let nested = Recorder()
        let again = request(try url("http://a.test/again"))
        let handler = Recorder { _, _ in
            _ = queue.start(again, handler: nested)
            return .proceed
        }
        _ = try await start("http://a.test/busy", on: queue, handler: handler).handler.result().get()
        guard case .throttled(let seconds) = try await nested.error() else {
            Issue.record("expected a refusal")
            return
        }
        #expect(seconds > 590 && seconds <= 600)
    }

    @Test(
        "A refusal for longer than a minute fails waiting and new transfers at once",
        arguments: [(429, "86400"), (503, "120"), (503, ResponseFields.date(1e10))] as [(Int, String)])
    func longRefusal(_ status: Int, _ field: String) async throws {
        let stub = refusing(status, field)
        let queue = queue(stub, perHost: 1)
        stub.hold()
        let refused = try start("http://a.test/busy", on: queue)
        let waiting = try (0..<50).map { try start("http://a.test/\($0)", on: queue) }
        let other = try start("http://b.test/other", on: queue)
        stub.release()
        _ = try await refused.handler.result().get()
        let new = try start("http://a.test/new", on: queue)
        for transfer in waiting + [new] {
            guard case .throttled(let seconds) = try await transfer.handler.error() else {
                Issue.record("expected a refusal")
                continue
            }
            #expect(seconds > 60 && seconds <= 3_600)
        }
        _ = try await other.handler.result().get()
        #expect(paths(stub) == ["/busy", "/other"] && queue.waitingTransfers == 0)
        // A cancel after the end has no effect; the recorder would notice a second end.
        new.task.cancel()
    }

    @Test(
        "Responses that do not refuse requests block nothing",
        arguments: [(503, nil), (503, "-1"), (503, "soon"), (404, "60"), (200, "60"), (429, "0")]
            as [(Int, String?)])
    func noRefusal(_ status: Int, _ field: String?) async throws {
        let stub = refusing(status, field)
        let queue = queue(stub)
        _ = try await start("http://a.test/busy", on: queue).handler.result().get()
        _ = try start("http://a.test/next", on: queue)
        #expect(paths(stub) == ["/busy", "/next"])
    }

    @Test("A slow transfer that started after a wait loses its slot to the next one")
    func slowTransfer() async throws {
        let stub = StubTransport { _ in .ok(Data()) }
        let queue = queue(stub, perHost: 1)
        queue.requestRate = RequestRate(requestsPerSecond: 5)
        func startNext(_ path: String) throws -> Recorder {
            try start("http://a.test/\(path)", on: queue) { request in
                request.limits.minimumRate = MinimumRate(bytesPerSecond: 1 << 10, window: .milliseconds(50))
            }.handler
        }
        let first = try startNext("1")
        _ = try await first.result().get()
        stub.hold()
        let (slow, next) = (try startNext("slow"), try startNext("next"))
        #expect(await poll { queue.slowTransfers == 1 && paths(stub) == ["/1", "/slow", "/next"] })
        stub.release()
        for handler in [slow, next] { _ = try await handler.result().get() }
    }

    @Test("Invalidation cancels transfers that wait for a rate")
    func invalidation() async throws {
        let stub = StubTransport { _ in .ok(Data()) }
        let queue = QueuedTransport(stub)
        queue.requestRate = RequestRate(requestsPerSecond: 0.001)
        _ = try await start("http://a.test/1", on: queue).handler.result().get()
        let waiting = try start("http://a.test/2", on: queue)
        queue.invalidate()
        #expect(try await waiting.handler.error() == .cancelled)
    }

    @Test("Fifty transfers from as many threads keep to the rate")
    func concurrency() async throws {
        let times = Mutex<[ContinuousClock.Instant]>([])
        let stub = StubTransport { _ in
            times.withLock { $0.append(.now) }
            return .ok(Data())
        }
        let queue = QueuedTransport(stub)
        queue.requestRate = RequestRate(requestsPerSecond: 100, burst: 10)
        let target = try url("http://a.test/")
        let begin = ContinuousClock.now
        let handlers = await withTaskGroup(of: Recorder.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    let handler = Recorder()
                    _ = queue.start(request(target), handler: handler)
                    return handler
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for handler in handlers { _ = try await handler.result().get() }
        // Forty intervals of 10 ms follow the burst.
        #expect(ContinuousClock.now - begin >= .milliseconds(390))
        #expect(stub.requests.count == 50)
        let firstTenth = begin + .milliseconds(100)
        #expect(times.withLock { $0.filter { $0 < firstTenth }.count } <= 20)
    }
}

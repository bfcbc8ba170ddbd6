import Dispatch
import Foundation
import FoundationNetworking
import KingfisherTestSupport
import KingfisherTransport
import Synchronization
import Testing

@Suite struct QueuedTransportTests {
    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    private func queue(
        _ base: any Transport, _ change: (inout QueuedTransport.Limits) -> Void
    ) -> QueuedTransport {
        var limits = QueuedTransport.Limits()
        change(&limits)
        return QueuedTransport(base, limits: limits)
    }

    private func paths(_ stub: StubTransport) -> [String] { stub.requests.compactMap(\.url?.path) }

    /// Starts a transfer; the recorder holds its callbacks.
    private func start(
        _ text: String, on transport: any Transport, priority: Float = 0.5, handler: Recorder = Recorder()
    ) throws -> (task: any TransportTask, handler: Recorder) {
        let request = request(try url(text)) { $0.priority = priority }
        return (transport.start(request, handler: handler), handler)
    }

    @Test func transfersWaitForASlot() async throws {
        let stub = StubTransport { _ in .ok(Data("x".utf8)) }
        let queue = queue(stub) { $0.perHost = 2 }
        stub.hold()
        let names = ["/1", "/2", "/3", "/4"]
        let transfers = try names.map { try start("http://a.test\($0)", on: queue) }
        #expect(paths(stub) == ["/1", "/2"] && queue.waitingTransfers == 2)
        stub.release()
        for transfer in transfers {
            _ = try await transfer.handler.result().get()
            #expect(transfer.handler.now.body == Data("x".utf8))
        }
        #expect(paths(stub).sorted() == names && queue.waitingTransfers == 0)
    }

    @Test func waitingTransferIsCancelledImmediately() async throws {
        let stub = StubTransport { _ in .ok(Data()) }
        let queue = queue(stub) { $0.perHost = 1 }
        stub.hold()
        let first = try start("http://a.test/1", on: queue)
        let second = try start("http://a.test/2", on: queue)
        let third = try start("http://a.test/3", on: queue)
        second.task.cancel()
        second.task.cancel()
        #expect(queue.waitingTransfers == 1)
        #expect(try await second.handler.error() == .cancelled)
        #expect(second.handler.now.head == nil && !first.handler.isFinished)
        stub.release()
        _ = try await third.handler.result().get()
        #expect(paths(stub) == ["/1", "/3"])
    }

    @Test func cancelledTransferFreesItsSlot() async throws {
        let stub = StubTransport { _ in .ok(Data()) }
        let queue = queue(stub) { $0.perHost = 1 }
        stub.hold()
        let first = try start("http://a.test/1", on: queue)
        let second = try start("http://a.test/2", on: queue)
        first.task.cancel()
        #expect(try await first.handler.error() == .cancelled)
        #expect(await poll { paths(stub) == ["/1", "/2"] })
        stub.release()
        _ = try await second.handler.result().get()
    }

    @Test func pausedHeadKeepsItsSlot() async throws {
        let stub = StubTransport { _ in .ok(Data("x".utf8)) }
        let queue = queue(stub) { $0.perHost = 1 }
        let held = try start("http://a.test/1", on: queue, handler: Recorder { _, _ in .wait })
        #expect(await poll { held.handler.now.head != nil })
        let next = try start("http://a.test/2", on: queue)
        #expect(paths(stub) == ["/1"])
        held.task.resume()
        _ = try await next.handler.result().get()
        #expect(held.handler.now.body == Data("x".utf8))
    }

    @Test func prioritiesOrderWaitingTransfers() async throws {
        let stub = StubTransport { _ in .ok(Data()) }
        let queue = queue(stub) { ($0.total, $0.reserve) = (1, 0) }
        stub.hold()
        _ = try start("http://a.test/running", on: queue)
        _ = try start("http://b.test/low", on: queue, priority: 0.2)
        let moved = try start("http://c.test/moved", on: queue, priority: 0.1)
        _ = try start("http://d.test/high", on: queue, priority: 0.8)
        moved.task.setPriority(0.5)
        stub.release()
        #expect(await poll { queue.waitingTransfers == 0 })
        #expect(paths(stub) == ["/running", "/high", "/moved", "/low"])
    }

    @Test func redirectKeepsItsPlace() async throws {
        let stub = StubTransport { request in
            request.url?.path == "/1" ? .redirect(to: "http://b.test/2") : .ok(Data())
        }
        let queue = queue(stub) { ($0.total, $0.reserve) = (1, 0) }
        stub.hold()
        let fetched = Recorder()
        _ = HTTPFetch(queue).start(request(try url("http://a.test/1")), handler: fetched)
        let later = try ["/3", "/4"].map { try start("http://a.test\($0)", on: queue) }
        stub.release()
        for handler in [fetched] + later.map(\.handler) { _ = try await handler.result().get() }
        #expect(paths(stub) == ["/1", "/2", "/3", "/4"])
    }

    @Test func fetchPassesItsPriorityToEveryHop() async throws {
        let stub = StubTransport { request in
            request.url?.path == "/1" ? .redirect(to: "http://b.test/2") : .ok(Data())
        }
        let queue = queue(stub) { $0.perHost = 1 }
        stub.hold()
        let blocker = try start("http://b.test/blocker", on: queue, handler: Recorder { _, _ in .wait })
        let rivals = try [0.3, 0.6].map { try start("http://b.test/\($0)", on: queue, priority: $0) }
        let fetched = Recorder()
        let fetch = HTTPFetch(queue).start(
            request(try url("http://a.test/1")) { $0.priority = 0.1 }, handler: fetched)
        fetch.setPriority(0.4)
        stub.release()
        #expect(await poll { queue.waitingTransfers == 3 && blocker.handler.now.head != nil })
        blocker.task.resume()
        for handler in [fetched] + rivals.map(\.handler) { _ = try await handler.result().get() }
        #expect(paths(stub) == ["/blocker", "/1", "/0.6", "/2", "/0.3"])
    }

    @Test func waitingDoesNotCountAgainstTheTotalTime() async throws {
        let stub = StubTransport { request in
            switch request.url?.path {
            case "/1": .redirect(to: "http://b.test/2")
            case "/2": .redirect(to: "/3")
            default: .ok(Data())
            }
        }
        let queue = queue(stub) { $0.perHost = 1 }
        let blocker = try start("http://b.test/blocker", on: queue, handler: Recorder { _, _ in .wait })
        #expect(await poll { blocker.handler.now.head != nil })
        let fetched = Recorder()
        let total = Duration.seconds(1)
        _ = HTTPFetch(queue).start(
            request(try url("http://a.test/1")) { $0.limits.total = total }, handler: fetched)
        #expect(await poll { queue.waitingTransfers == 1 })
        try await Task.sleep(for: total + .milliseconds(200))  // the queue has no clock but the real one
        blocker.task.resume()
        let metrics = try await fetched.result().get()
        #expect(metrics.redirectCount == 2 && metrics.total < 1)
        #expect(paths(stub) == ["/blocker", "/1", "/2", "/3"])
    }

    @Test func hostWithHTTP2GetsMoreSlots() async throws {
        let stub = StubTransport { request in
            var answer = StubAnswer.ok(Data())
            if request.url?.host == "two.test" { answer.protocolName = "HTTP/2" }
            return answer
        }
        let queue = queue(stub) {
            $0.perHost = 2
            $0.perMultiplexedHost = 5
        }
        for host in ["one.test", "two.test"] {
            _ = try await start("https://\(host)/", on: queue).handler.result().get()
        }
        stub.hold()
        for host in ["one.test", "two.test"] {
            for _ in 1...10 { _ = try start("https://\(host)/", on: queue) }
        }
        #expect(stub.requests.dropFirst(2).count { $0.url?.host == "one.test" } == 2)
        #expect(stub.requests.dropFirst(2).count { $0.url?.host == "two.test" } == 5)
        queue.invalidate()
    }

    @Test func invalidationCancelsWaitingTransfers() async throws {
        let stub = StubTransport { _ in .ok(Data()) }
        let queue = queue(stub) { $0.perHost = 1 }
        stub.hold()
        let transfers = try (1...3).map { try start("http://a.test/\($0)", on: queue) }
        queue.invalidate()
        let late = try start("http://a.test/late", on: queue)
        for handler in transfers.map(\.handler) + [late.handler] {
            #expect(try await handler.error() == .cancelled)
        }
        #expect(stub.liveTransfers == 0 && queue.waitingTransfers == 0)
    }

    @Test func requestWithoutHostIsRefusedByTheTransport() async throws {
        let queue = QueuedTransport(curlTransport())
        let handler = Recorder()
        _ = queue.start(request(try url("file:///etc/hostname")), handler: handler)
        guard case .invalidRequest = try await handler.error() else {
            Issue.record("\(handler.now)")
            return
        }
    }

    @Test func startsAndCancelsFromManyThreads() async throws {
        let stub = StubTransport { _ in .ok(Data("x".utf8)) }
        let queue = queue(stub) {
            $0.perHost = 3
            $0.total = 8
        }
        let handlers = (0..<2_000).map { _ in Recorder() }
        DispatchQueue.global().async {
            DispatchQueue.concurrentPerform(iterations: handlers.count) { number in
                guard let url = URL(string: "http://host\(number % 7).test/\(number)") else { return }
                let task = queue.start(request(url), handler: handlers[number])
                if number % 3 == 0 { task.cancel() }
                if number % 5 == 0 { task.setPriority(Float(number % 11) / 10) }
            }
        }
        for (number, handler) in handlers.enumerated() {
            let result = try await handler.result()
            if number % 3 != 0 { _ = try result.get() }
        }
        #expect(queue.waitingTransfers == 0 && stub.liveTransfers == 0)
    }
}

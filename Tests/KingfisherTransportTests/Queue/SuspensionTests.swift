import Foundation
import KingfisherTestSupport
import Synchronization
import Testing

@testable import KingfisherTransport

/// Transports that are suspended while transfers run.
@Suite("Transport: suspension") struct SuspensionTests {
    private static let quiet = Duration.milliseconds(700)

    /// Suspends once `condition` holds, and checks that the transfer does not end, although it exceeds its
    /// limits.
    private func suspend(
        _ transport: CurlTransport, _ handler: Recorder, when condition: () -> Bool
    ) async throws {
        #expect(await poll(until: condition))
        transport.isSuspended = true
        let early = await poll(upTo: Self.quiet) { handler.isFinished }
        #expect(!early)
    }

    private func start(
        _ url: URL, on transport: CurlTransport, _ handler: Recorder = Recorder(), total: Duration? = nil
    ) -> any TransportTask {
        let request = request(url) { request in
            request.limits.idle = .milliseconds(400)
            request.limits.total = total
        }
        return transport.start(request, handler: handler)
    }

    @Test("A suspended transfer stops its server, exceeds no limit, and then gets every byte")
    func body() async throws {
        let gate = ServerGate()
        gate.release()
        let piece = bytes(1 << 20)
        let head = ServerResponse.head(200, headers: [("Content-Length", "\(32 << 20)")])
        let steps = [.send(head)] + (0..<32).flatMap { _ in [ServerResponse.Step.send(piece), .hold(gate)] }
        let server = try LoopbackServer { _ in ServerResponse(steps) }
        defer { server.stop() }
        let transport = curlTransport()
        defer { transport.invalidate() }
        let handler = Recorder(
            keepsBody: false,
            onBody: { _, taken in
                if taken < 1 << 20 { transport.isSuspended = taken > 1 << 19 }
                return true
            })
        _ = start(server.url(), on: transport, handler)
        try await suspend(transport, handler) { transport.isSuspended }
        let taken = handler.bytesTaken
        #expect(taken < 12 << 20, "\(taken >> 20) MB were read")
        #expect(gate.arrived < 24, "\(gate.arrived) MB of 32 left the server")
        transport.isSuspended = false
        _ = try await handler.result().get()
        #expect(handler.bytesTaken == 32 << 20 && handler.now.violations.isEmpty)
    }

    @Test("While a server is silent, no limit counts the time of the suspension", arguments: [0, 100_000])
    func silence(size: Int) async throws {
        let gate = ServerGate()
        let body = bytes(size)
        let server = try LoopbackServer { _ in ServerResponse([.hold(gate)] + ServerResponse.ok(body).steps) }
        defer { server.stop() }
        let transport = curlTransport()
        defer { transport.invalidate() }
        let handler = Recorder()
        _ = start(server.url(), on: transport, handler, total: .milliseconds(600))
        try await suspend(transport, handler) { gate.arrived == 1 }
        gate.release()
        // The head is delivered; success waits, also if there is no body.
        #expect(await poll { handler.now.head != nil })
        let early = await poll(upTo: .milliseconds(50)) { handler.isFinished || handler.bytesTaken > 0 }
        #expect(!early)
        transport.isSuspended = false
        _ = try await handler.result().get()
        #expect(handler.now.body == body)
    }

    @Test("After the suspension, a silent server exceeds its limit")
    func laterSilence() async throws {
        let gate = ServerGate()
        let server = try LoopbackServer { _ in ServerResponse([.hold(gate), .hang]) }
        defer { server.stop() }
        let transport = curlTransport()
        defer { transport.invalidate() }
        let handler = Recorder()
        _ = start(server.url(), on: transport, handler)
        try await suspend(transport, handler) { gate.arrived == 1 }
        transport.isSuspended = false
        #expect(try await handler.error() == .timedOut(.idle))
    }

    @Test(
        "A cancel ends a suspended transfer, and a closed connection is an error", arguments: [true, false])
    func ends(cancels: Bool) async throws {
        let gate = ServerGate()
        let server = try LoopbackServer { _ in
            ServerResponse(
                ServerResponse.partial(bytes(50_000), of: 100_000, then: .hold(gate)).steps + [.close])
        }
        defer { server.stop() }
        let transport = curlTransport()
        defer { transport.invalidate() }
        let handler = Recorder()
        let task = start(server.url(), on: transport, handler)
        try await suspend(transport, handler) { handler.bytesTaken > 0 }
        if cancels {
            task.cancel()
            #expect(try await handler.error() == .cancelled)
        } else {
            gate.release()
            #expect(await server.wait { $0.openConnections == 0 })
            transport.isSuspended = false
            let error = try await handler.error()
            guard case .truncated = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test(
        "A transfer that its handler has paused also waits for the end of the suspension, in either order",
        arguments: [true, false], [false, true])
    func pausedByItsHandler(resumesFirst: Bool, isCompressed: Bool) async throws {
        let body = bytes(2_000_000)
        let server = try LoopbackServer { _ in isCompressed ? .gzipped(body) : .ok(body) }
        defer { server.stop() }
        let transport = curlTransport()
        defer { transport.invalidate() }
        let isOpen = Atomic(false)
        let handler = Recorder(onBody: { _, taken in taken < 100_000 || isOpen.load(ordering: .acquiring) })
        let task = start(server.url(), on: transport, handler)
        #expect(await poll { handler.bytesTaken >= 100_000 })
        let taken = handler.bytesTaken
        transport.isSuspended = true
        isOpen.store(true, ordering: .releasing)
        if resumesFirst { task.resume() } else { transport.isSuspended = false }
        let early = await poll(upTo: .milliseconds(100)) { handler.bytesTaken > taken }
        #expect(!early)
        if resumesFirst { transport.isSuspended = false } else { task.resume() }
        _ = try await handler.result().get()
        #expect(handler.now.body == body)
    }

    @Test("Bytes arrive once while a transport is suspended and resumed again and again", arguments: [1, 2])
    func manyTimes(copies: Int) async throws {
        let body = bytes(3_000_000)
        let server = try LoopbackServer { _ in copies == 1 ? .ok(body) : .gzipped(body) }
        defer { server.stop() }
        let transport = curlTransport()
        defer { transport.invalidate() }
        let calls = Atomic(0)
        let handler = Recorder(onBody: { task, _ in
            let call = calls.add(1, ordering: .relaxed).newValue
            if call % 3 == 0 {
                transport.isSuspended = true
                DispatchQueue.global().async { transport.isSuspended = false }
            }
            guard call % 5 == 0 else { return true }
            DispatchQueue.global().async { task.resume() }
            return false
        })
        _ = start(server.url(), on: transport, handler)
        _ = try await handler.result().get()
        #expect(handler.now.body == body)
    }
}

/// Queues that are suspended while transfers wait.
@Suite("Queue: suspension") struct QueueSuspensionTests {
    private func start(_ path: String, _ priority: Float, on queue: QueuedTransport) throws -> (
        task: any TransportTask, handler: Recorder
    ) {
        let handler = Recorder()
        let url = try #require(URL(string: "http://a.test\(path)"))
        return (queue.start(request(url) { $0.priority = priority }, handler: handler), handler)
    }

    @Test("A suspended queue starts nothing, and then all by priority and arrival")
    func order() async throws {
        let stub = StubTransport { _ in .ok(Data()) }
        var limits = QueuedTransport.Limits()
        limits.perHost = 1
        let queue = QueuedTransport(stub, limits: limits)
        queue.isSuspended = true
        let transfers = [
            try start("/1", 0.2, on: queue), try start("/2", 0.5, on: queue), try start("/3", 0.9, on: queue),
            try start("/4", 0.9, on: queue), try start("/5", 0.5, on: queue),
        ]
        #expect(stub.requests.isEmpty && queue.waitingTransfers == 5)
        transfers[4].task.cancel()
        #expect(try await transfers[4].handler.error() == .cancelled)
        transfers[0].task.setPriority(1)
        queue.isSuspended = false
        for transfer in transfers.dropLast() { _ = try await transfer.handler.result().get() }
        #expect(stub.requests.compactMap(\.url?.path) == ["/1", "/3", "/4", "/2"])
    }

    @Test("The end of a transfer, a new rate and the time of a rate start nothing")
    func events() async throws {
        let stub = StubTransport { _ in .ok(Data()) }
        var limits = QueuedTransport.Limits()
        limits.perHost = 1
        let queue = QueuedTransport(stub, limits: limits)
        queue.requestRate = RequestRate(requestsPerSecond: 100, burst: 1)
        stub.hold()
        let first = try start("/1", 0.5, on: queue)
        let second = try start("/2", 0.5, on: queue)
        queue.isSuspended = true
        stub.release()
        _ = try await first.handler.result().get()
        queue.requestRate = RequestRate(requestsPerSecond: 1_000)
        let early = await poll(upTo: .milliseconds(50)) { second.handler.isFinished }
        #expect(!early && stub.requests.count == 1 && queue.waitingTransfers == 1)
        queue.isSuspended = false
        _ = try await second.handler.result().get()
    }

    @Test("A transfer is not too slow because of a suspension, and its time counts as a wait")
    func slowness() async throws {
        let stub = StubTransport { _ in .ok(Data()) }
        var limits = QueuedTransport.Limits()
        (limits.perHost, limits.slowPerHost) = (1, 0)
        let queue = QueuedTransport(stub, limits: limits)
        stub.hold()
        let (handler, ticket) = (Recorder(), QueueTicket())
        var first = request(try #require(URL(string: "http://a.test/1")))
        first.limits.minimumRate = MinimumRate(bytesPerSecond: 1 << 20, window: .milliseconds(100))
        first.ticket = ticket
        _ = queue.start(first, handler: handler)
        let next = try start("/2", 0.5, on: queue)
        queue.isSuspended = true
        let early = await poll(upTo: .milliseconds(400)) { handler.isFinished }
        #expect(!early && ticket.waited == .zero)
        queue.isSuspended = false
        #expect(ticket.waited >= .milliseconds(400))
        // Now it holds up the next one.
        guard case .tooSlow = try await handler.error() else {
            Issue.record("it was not too slow")
            return
        }
        stub.release()
        _ = try await next.handler.result().get()
    }
}

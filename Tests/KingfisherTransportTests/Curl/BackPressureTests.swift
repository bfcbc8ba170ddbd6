import Foundation
import KingfisherTestSupport
import KingfisherTransport
import Synchronization
import Testing

/// A handler that is not ready slows the server down, and loses no bytes.
@Suite struct BackPressureTests {
    /// A body of 1 MB steps, each followed by an open gate that counts the server's progress.
    private func server(megabytes: Int, counting gate: ServerGate) throws -> LoopbackServer {
        gate.release()
        let piece = bytes(1 << 20)
        var steps = [
            ServerResponse.Step.send(
                ServerResponse.head(200, headers: [("Content-Length", "\(megabytes << 20)")]))
        ]
        for _ in 0..<megabytes { steps += [.send(piece), .hold(gate)] }
        let response = ServerResponse(steps)
        return try LoopbackServer { _ in response }
    }

    @Test func pausedReaderStopsTheServer() async throws {
        let gate = ServerGate()
        let server = try server(megabytes: 48, counting: gate)
        defer { server.stop() }
        let transport = curlTransport()
        defer { transport.invalidate() }
        let isOpen = Atomic(false)
        let handler = Recorder(
            keepsBody: false, onBody: { _, taken in taken < 1 << 20 || isOpen.load(ordering: .acquiring) })
        let task = transport.start(
            request(server.url()) { $0.limits.idle = .milliseconds(300) }, handler: handler)
        #expect(await poll { handler.bytesTaken >= 1 << 20 })
        // The kernel's socket buffers fill, then the server stops; its progress is constant for longer than
        // the idle limit.
        var seen = -1
        while seen != gate.arrived {
            seen = gate.arrived
            try await Task.sleep(for: .milliseconds(400))
        }
        #expect(seen < 24, "\(seen) MB of 48 left the server while 1 MB was read")
        #expect(!handler.isFinished, "a pause does not count as idle time")
        isOpen.store(true, ordering: .releasing)
        task.resume()
        _ = try await handler.result().get()
        #expect(handler.bytesTaken == 48 << 20)
    }

    @Test func everyByteArrivesOnceDespitePauses() async throws {
        let body = bytes(3_000_000)
        let server = try LoopbackServer { _ in .ok(body) }
        defer { server.stop() }
        let calls = Atomic(0)
        let handler = Recorder(onBody: { task, _ in
            guard calls.add(1, ordering: .relaxed).newValue % 3 == 0 else { return true }
            // The resume may come before the callback returns false, and must still count.
            DispatchQueue.global().async { task.resume() }
            return false
        })
        _ = try await run(request(server.url()), handler: handler)
        #expect(handler.now.body == body)
    }

    @Test(arguments: [0, 10, 400_000]) func handlerCanPauseInTheHead(_ size: Int) async throws {
        let body = bytes(size)
        let server = try LoopbackServer { _ in .ok(body) }
        defer { server.stop() }
        let transport = curlTransport()
        defer { transport.invalidate() }
        let handler = Recorder(onHead: { _, _ in .wait })
        let task = transport.start(
            request(server.url()) { $0.limits.idle = .milliseconds(400) }, handler: handler)
        #expect(await poll { handler.now.head != nil })
        let early = await poll(upTo: .milliseconds(700)) { handler.isFinished || handler.bytesTaken > 0 }
        #expect(!early)
        task.resume()
        _ = try await handler.result().get()
        #expect(handler.now.body == body)
    }

    @Test func resumeWithinTheHeadCallbackCounts() async throws {
        let server = try LoopbackServer { _ in .ok(bytes(10)) }
        defer { server.stop() }
        let handler = Recorder(onHead: { task, _ in
            task.resume()
            return .wait
        })
        _ = try await run(request(server.url()), handler: handler)
        #expect(handler.now.body == bytes(10))
    }

    @Test func totalLimitRunsDuringAPause() async throws {
        let server = try LoopbackServer { _ in .ok(bytes(10)) }
        defer { server.stop() }
        let handler = Recorder(onHead: { _, _ in .wait })
        _ = try await run(request(server.url()) { $0.limits.total = .milliseconds(100) }, handler: handler)
        #expect(try await handler.error() == .timedOut(.total))
    }
}

import Foundation
import FoundationNetworking
import KingfisherTestSupport
import KingfisherTransport
import Synchronization
import Testing

/// Transfers that share a connection are independent of each other.
@Suite struct HTTP2StreamTests {
    /// A body that identifies its stream.
    private static func body(_ stream: UInt32) -> Data { bytes(20_000 + Int(stream)) }

    @Test("100 concurrent requests to one origin share a connection, and each gets its body")
    func multiplexing() async throws {
        let server = try HTTP2Server { connection in
            // Nothing is answered before all have arrived.
            let streams = (0..<100).compactMap { _ in connection.nextRequest() }
            for stream in streams.reversed() { connection.respond(stream, Self.body(stream)) }
            connection.readToEnd()
        }
        defer { server.stop() }
        let rig = try HTTP2Rig()
        defer { rig.transport.invalidate() }
        let handlers = rig.start(100, at: server.url)
        for handler in handlers {
            #expect(try await handler.metrics().protocolName == "HTTP/2")
            let body = handler.now.body
            #expect(body.count > 20_000 && body == bytes(body.count))
        }
        #expect(Set(handlers.map(\.bytesTaken)).count == 100)
        #expect(server.acceptedConnections == 1)
    }

    @Test(
        "Requests above the last stream of a GOAWAY are repeated on another connection",
        arguments: [30, 11, 2])
    func goAway(readBefore count: Int) async throws {
        let answered = Atomic(0)
        let isFirst = Atomic(true)
        let server = try HTTP2Server { connection in
            let respond = { (stream: UInt32) in
                answered.add(1, ordering: .relaxed)
                connection.respond(stream, Self.body(stream))
            }
            if isFirst.exchange(false, ordering: .relaxed) {
                // Below 30, the others are sent while the GOAWAY arrives.
                let streams = (0..<count).compactMap { _ in connection.nextRequest() }.prefix(10)
                if let last = streams.last { connection.send(.goAway(last: last)) }
                for stream in streams { respond(stream) }
                connection.readToEnd()
            } else {
                while let stream = connection.nextRequest() { respond(stream) }
            }
        }
        defer { server.stop() }
        let rig = try HTTP2Rig()
        defer { rig.transport.invalidate() }
        for handler in rig.start(30, at: server.url) {
            _ = try await handler.metrics()
            #expect(handler.now.body == bytes(handler.bytesTaken) && handler.bytesTaken > 20_000)
        }
        #expect(answered.load(ordering: .relaxed) == 30, "each is answered once")
        #expect(server.acceptedConnections >= 2)
    }

    /// A value that has not changed for 400 ms.
    private func settled(_ value: () -> Int) async throws -> Int {
        var seen = -1
        while seen != value() {
            seen = value()
            try await Task.sleep(for: .milliseconds(400))
        }
        return seen
    }

    @Test("A server does not send beyond the window of a paused transfer, which then gets all bytes")
    func flowControl() async throws {
        let sent = Atomic(0)
        let count = 64 << 20
        let server = try HTTP2Server { connection in
            guard let stream = connection.nextRequest() else { return }
            connection.send(.headers(stream, .status(200, [("content-length", "\(count)")])))
            let piece = Data(count: HTTP2Frame.maxPayload)
            var rest = count
            while rest > 0 {
                connection.readArrived(
                    waiting: connection.window(of: stream) < piece.count ? .seconds(1) : .zero)
                guard !connection.isClosed else { return }
                guard connection.window(of: stream) >= piece.count else { continue }
                rest -= piece.count
                connection.send(body: piece, on: stream, ends: rest == 0)
                sent.add(piece.count, ordering: .relaxed)
            }
            connection.readToEnd()
        }
        defer { server.stop() }
        let rig = try HTTP2Rig()
        defer { rig.transport.invalidate() }
        let isOpen = Atomic(false)
        let handler = Recorder(
            keepsBody: false, onBody: { _, taken in taken < 1 << 20 || isOpen.load(ordering: .acquiring) })
        let task = rig.start(server.url(), handler)
        #expect(await poll { handler.bytesTaken >= 1 << 20 })
        // The server stops when the window or the socket's buffers are full.
        let seen = try await settled { sent.load(ordering: .relaxed) }
        #expect(seen < 40 << 20, "\(seen >> 20) MB of 64 left the server while 1 MB was read")
        #expect(!handler.isFinished)
        isOpen.store(true, ordering: .releasing)
        task.resume()
        _ = try await handler.metrics()
        #expect(handler.bytesTaken == count)
    }

    @Test("A server that refuses every stream ends in an error")
    func refusal() async throws {
        let refused = Atomic(0)
        let server = try HTTP2Server { connection in
            while let stream = connection.nextRequest() {
                refused.add(1, ordering: .relaxed)
                connection.send(.reset(stream, code: 7))
            }
        }
        defer { server.stop() }
        let rig = try HTTP2Rig()
        defer { rig.transport.invalidate() }
        let handler = Recorder()
        rig.start(server.url(), handler)
        let error = try #require(try await handler.error())
        guard case .connectionLost = error else { return #expect(Bool(false), "\(error)") }
        #expect(refused.load(ordering: .relaxed) <= 100)
    }

    @Test("A stream that the server resets in its body fails, and the others of the connection finish")
    func reset() async throws {
        let server = try HTTP2Server { connection in
            let streams = (0..<5).compactMap { _ in connection.nextRequest() }
            for stream in streams {
                connection.send(.headers(stream, .status(200, [("content-length", "1000")])))
                connection.send(body: bytes(400), on: stream)
            }
            if let victim = streams.dropFirst(2).first { connection.send(.reset(victim, code: 2)) }
            for (index, stream) in streams.enumerated() where index != 2 {
                connection.send(body: bytes(1000).dropFirst(400), on: stream, ends: true)
            }
            connection.readToEnd()
        }
        defer { server.stop() }
        let rig = try HTTP2Rig()
        defer { rig.transport.invalidate() }
        var failures: [TransportError] = []
        for handler in rig.start(5, at: server.url) {
            if let error = try await handler.error() {
                failures.append(error)
            } else {
                #expect(handler.now.body == bytes(1000))
            }
        }
        #expect(failures.count == 1)
        guard case .connectionLost(let text)? = failures.first, text.contains("INTERNAL_ERROR") else {
            return #expect(Bool(false), "\(failures)")
        }
        #expect(server.acceptedConnections == 1)
    }

    @Test("A cancelled transfer resets its stream, and the connection serves the next one")
    func cancellation() async throws {
        let reset = Atomic(false)
        let server = try HTTP2Server { connection in
            guard let first = connection.nextRequest() else { return }
            connection.send(.headers(first, .status(200)))
            connection.send(body: bytes(100), on: first)
            guard let second = connection.nextRequest() else { return }
            reset.store(connection.resetStreams.contains(first), ordering: .releasing)
            connection.respond(second, Self.body(second))
            connection.readToEnd()
        }
        defer { server.stop() }
        let rig = try HTTP2Rig()
        defer { rig.transport.invalidate() }
        let (first, second) = (Recorder(), Recorder())
        let task = rig.start(server.url("/first"), first)
        #expect(await poll { first.bytesTaken == 100 })
        task.cancel()
        #expect(try await first.error() == .cancelled)
        rig.start(server.url("/second"), second)
        #expect(try await second.metrics().reusedConnection == true)
        #expect(second.now.body == bytes(second.bytesTaken) && second.bytesTaken > 20_000)
        let wasReset = reset.load(ordering: .acquiring)
        #expect(wasReset)
        #expect(server.acceptedConnections == 1)
    }

    @Test("A server that negotiates HTTP/1.1 only gets HTTP/1.1")
    func fallback() async throws {
        let server = try LoopbackServer(tls: ServerTLS()) { _ in .ok(bytes(500)) }
        defer { server.stop() }
        let rig = try HTTP2Rig()
        defer { rig.transport.invalidate() }
        for handler in rig.start(10, at: { server.url($0) }) {
            #expect(try await handler.metrics().protocolName == "HTTP/1.1")
            #expect(handler.now.body == bytes(500))
        }
    }

    @Test("Trailers and interim responses are not part of the response")
    func trailers() async throws {
        let server = try HTTP2Server { connection in
            guard let stream = connection.nextRequest() else { return }
            connection.send(.headers(stream, .status(103, [("link", "</a>; rel=preload")])))
            connection.send(.headers(stream, .status(200, [("x-kind", "final")])))
            connection.send(body: bytes(10), on: stream)
            connection.send(.headers(stream, HPACKBlock([("x-kind", "trailer")]), [.endHeaders, .endStream]))
            connection.readToEnd()
        }
        defer { server.stop() }
        let rig = try HTTP2Rig()
        defer { rig.transport.invalidate() }
        let handler = Recorder()
        rig.start(server.url(), handler)
        _ = try await handler.metrics()
        let head = try #require(handler.now.head)
        #expect(head.statusCode == 200 && head.value(forHTTPHeaderField: "x-kind") == "final")
        #expect(head.value(forHTTPHeaderField: "link") == nil)
        #expect(handler.now.body == bytes(10))
    }

    @Test("The end of the connection within a body is an error for each of its transfers")
    func lostConnection() async throws {
        let server = try HTTP2Server { connection in
            let streams = (0..<3).compactMap { _ in connection.nextRequest() }
            for stream in streams {
                connection.send(.headers(stream, .status(200)))
                connection.send(body: bytes(100), on: stream)
            }
        }
        defer { server.stop() }
        let rig = try HTTP2Rig()
        defer { rig.transport.invalidate() }
        for handler in rig.start(3, at: server.url) {
            switch try await handler.error() {
            case .connectionLost, .truncated: break
            case let error: Issue.record("\(String(describing: error))")
            }
        }
    }
}

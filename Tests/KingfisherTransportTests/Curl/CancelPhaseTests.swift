import Foundation
import FoundationNetworking
import KingfisherTestSupport
import KingfisherTransport
import Synchronization
import Testing

/// A cancel closes the transfer's socket within a second, in every phase.
@Suite struct CancelPhaseTests {
    enum Phase: String, CaseIterable {
        case queued, resolving, connecting, handshaking, head, body, pausedInHead, pausedInBody, compressed
        case asking, flooded

        /// Whether the server has a connection and can observe its end.
        var isConnected: Bool { ![.queued, .resolving, .connecting].contains(self) }
    }

    private static func server(_ phase: Phase) throws -> LoopbackServer {
        let flood = Data(repeatElement(Array("1\r\nx\r\n".utf8), count: 32_768).joined())
        // In the handshake phase, the client waits for the server's part of the handshake.
        let greeting = ServerResponse(phase == .handshaking ? [.hang] : [])
        return try LoopbackServer(greeting: greeting) { _ in
            switch phase {
            case .body: .partial(bytes(10), of: 99, then: .hang)
            case .pausedInHead, .pausedInBody: .ok(bytes(500_000))
            case .compressed: .ok(Gzip.zeros(32 << 20), headers: [("Content-Encoding", "gzip")])
            case .asking:
                ServerResponse([
                    .send(
                        ServerResponse.head(302, headers: [("Location", "/next"), ("Content-Length", "9")])),
                    .hang,
                ])
            case .flooded:
                ServerResponse(
                    [.send(ServerResponse.head(200, headers: [("Transfer-Encoding", "chunked")]))]
                        + Array(repeating: .send(flood), count: 10_000))
            case .queued, .resolving, .connecting, .handshaking, .head: ServerResponse([.hang])
            }
        }
    }

    private static func url(_ phase: Phase, of server: LoopbackServer, _ backlog: FullBacklog) throws -> URL {
        switch phase {
        case .resolving: try #require(URL(string: "http://slow.test/"))
        case .connecting: backlog.url
        case .handshaking: try #require(URL(string: "https://127.0.0.1:\(server.url().port ?? 0)/"))
        default: server.url("/it")
        }
    }

    private static func handler(_ phase: Phase) -> Recorder {
        switch phase {
        case .pausedInHead: Recorder(keepsBody: false, onHead: { _, _ in .wait })
        case .pausedInBody, .compressed: Recorder(keepsBody: false, onBody: { _, _ in false })
        default: Recorder(keepsBody: false)
        }
    }

    @Test(arguments: Phase.allCases) func cancelClosesTheConnection(in phase: Phase) async throws {
        let server = try Self.server(phase)
        let backlog = try FullBacklog()
        let resolver = StubResolver { _ in nil }
        var limits = QueuedTransport.Limits()
        limits.perHost = 1
        let queue = QueuedTransport(curlTransport { $0.resolver = resolver }, limits: limits)
        defer {
            queue.invalidate()
            server.stop()
            backlog.close()
            resolver.releaseAll(.success(loopback))
        }
        let url = try Self.url(phase, of: server, backlog)
        if phase == .queued { _ = queue.start(request(server.url("/first")), handler: Recorder()) }
        let isHookCalled = Atomic(false)
        let handler = Self.handler(phase)
        let hook: RedirectHook = { _, _, _ in isHookCalled.store(true, ordering: .releasing) }
        let task = HTTPFetch(queue).start(request(url), redirect: hook, handler: handler)
        let isReached = await poll {
            switch phase {
            case .queued: queue.waitingTransfers == 1
            case .resolving: !resolver.lookups.isEmpty
            case .connecting: true
            case .handshaking: server.openConnections == 1
            case .head: server.requestCount("/it") == 1
            case .body: handler.bytesTaken == 10
            case .pausedInHead, .pausedInBody, .compressed: handler.now.head != nil
            case .asking: isHookCalled.load(ordering: .acquiring)
            case .flooded: handler.bytesTaken > 100_000
            }
        }
        #expect(isReached)
        let start = ContinuousClock.now
        task.cancel()
        if phase.isConnected { #expect(await server.wait(upTo: .seconds(1)) { $0.openConnections == 0 }) }
        #expect(try await handler.error() == .cancelled)
        let end = try #require(handler.now.end)
        #expect(end - start < .seconds(ProcessStatus.slowness))
    }
}

import Foundation
import FoundationNetworking
import KingfisherTestSupport
import KingfisherTransport
import Synchronization
import Testing

/// When a request was sent and its response came (RFC 9111, 4.2.3), as transports tell.
@Suite struct ResponseTimesTests {
    /// The times of the last response that its handler was shown.
    private final class Witness: Sendable {
        private let seen = Mutex<TransportResponse?>(nil)

        var requested: ContinuousClock.Instant? { seen.withLock { $0?.requestTime } }
        var responded: ContinuousClock.Instant? { seen.withLock { $0?.responseTime } }

        func recorder() -> Recorder {
            Recorder(onHead: { [self] _, head in
                seen.withLock { $0 = head }
                return .proceed
            })
        }
    }

    @Test("A request is sent when it leaves, and its response has come with the head, not with the body")
    func exchange() async throws {
        let (beforeHead, beforeBody, witness) = (ServerGate(), ServerGate(), Witness())
        let server = try LoopbackServer { _ in
            ServerResponse([
                .hold(beforeHead), .send(ServerResponse.head(200, headers: [("Content-Length", "1")])),
                .hold(beforeBody), .send(Data("x".utf8)),
            ])
        }
        let (transport, handler, start) = (CurlTransport(), witness.recorder(), ContinuousClock.now)
        _ = transport.start(request(server.url("/")), handler: handler)
        #expect(await poll { beforeHead.arrived == 1 })
        let asked = ContinuousClock.now
        beforeHead.release()
        #expect(await poll { witness.responded != nil })
        let answered = ContinuousClock.now
        beforeBody.release()
        _ = try await handler.result().get()
        let (requested, responded) = (try #require(witness.requested), try #require(witness.responded))
        #expect(start <= requested && requested <= asked)
        #expect(asked <= responded && responded <= answered)
    }

    @Test(
        "Waiting for a turn, or for libcurl's connection, is not waiting for an answer",
        arguments: [false, true])
    func queue(isLibcurls: Bool) async throws {
        let (gate, witness) = (ServerGate(), Witness())
        let server = try LoopbackServer { request in
            request.path == "/1" ? ServerResponse.ok(Data()).held(by: gate) : .ok(Data())
        }
        var limits = QueuedTransport.Limits()
        limits.perHost = 1
        var configuration = CurlTransport.Configuration()
        configuration.maxConnectionsPerHost = 1
        let transport: any Transport =
            isLibcurls ? CurlTransport(configuration) : QueuedTransport(CurlTransport(), limits: limits)
        let handler = witness.recorder()
        _ = transport.start(request(server.url("/1")), handler: Recorder())
        #expect(await poll { gate.arrived == 1 })
        _ = transport.start(request(server.url("/2")), handler: handler)
        // What comes after it has ended, so that it waits by now.
        let (other, last) = (try LoopbackServer { _ in .ok(Data()) }, Recorder())
        _ = transport.start(request(other.url("/")), handler: last)
        _ = try await last.result().get()
        let released = ContinuousClock.now
        gate.release()
        _ = try await handler.result().get()
        #expect(try #require(witness.requested) >= released)
    }

    @Test(
        "Of a chain, the last exchange counts; a redirect delivered after all came before it was asked about"
    )
    func redirect() async throws {
        let (gate, witness) = (ServerGate(), Witness())
        let server = try LoopbackServer { request in
            request.path == "/1" ? ServerResponse.redirect(to: "/2").held(by: gate) : .ok(Data())
        }
        let handler = witness.recorder()
        _ = HTTPFetch(CurlTransport()).start(request(server.url("/1")), handler: handler)
        #expect(await poll { gate.arrived == 1 })
        let released = ContinuousClock.now
        gate.release()
        _ = try await handler.result().get()
        #expect(try #require(witness.requested) >= released)

        let asked = Mutex<ContinuousClock.Instant?>(nil)
        let other = witness.recorder()
        _ = HTTPFetch(CurlTransport()).start(
            request(server.url("/1")),
            redirect: { _, _, answer in
                asked.withLock { $0 = .now }
                answer(.deliver)
            }, handler: other)
        _ = try await other.result().get()
        #expect(other.now.head?.statusCode == 302)
        #expect(try #require(witness.responded) <= (try #require(asked.withLock { $0 })))
    }
}

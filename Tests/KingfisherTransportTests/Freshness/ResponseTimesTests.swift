import Foundation
import FoundationNetworking
import KingfisherTestSupport
import KingfisherTransport
import Synchronization
import Testing

/// The times of requests and responses that transports report (RFC 9111, 4.2.3).
@Suite struct ResponseTimesTests {
    /// Records the times of the last response.
    private final class TimeRecorder: Sendable {
        private let response = Mutex<TransportResponse?>(nil)

        var requested: ContinuousClock.Instant? { response.withLock { $0?.requestTime } }
        var responded: ContinuousClock.Instant? { response.withLock { $0?.responseTime } }

        func recorder() -> Recorder {
            Recorder(onHead: { [self] _, head in
                response.withLock { $0 = head }
                return .proceed
            })
        }
    }

    @Test("The request time is that of sending, and the response time that of the head")
    func timesOfAnExchange() async throws {
        let (beforeHead, beforeBody, times) = (ServerGate(), ServerGate(), TimeRecorder())
        let server = try LoopbackServer { _ in
            ServerResponse([
                .hold(beforeHead), .send(ServerResponse.head(200, headers: [("Content-Length", "1")])),
                .hold(beforeBody), .send(Data("x".utf8)),
            ])
        }
        let (transport, handler, start) = (CurlTransport(), times.recorder(), ContinuousClock.now)
        _ = transport.start(request(server.url("/")), handler: handler)
        #expect(await poll { beforeHead.arrived == 1 })
        let sent = ContinuousClock.now
        beforeHead.release()
        #expect(await poll { times.responded != nil })
        let received = ContinuousClock.now
        beforeBody.release()
        _ = try await handler.result().get()
        let (requested, responded) = (try #require(times.requested), try #require(times.responded))
        #expect(start <= requested && requested <= sent)
        #expect(sent <= responded && responded <= received)
    }

    @Test(
        "The wait for a slot or for libcurl's connection does not count as response delay",
        arguments: [false, true])
    func waitInAQueue(isLibcurls: Bool) async throws {
        let (gate, times) = (ServerGate(), TimeRecorder())
        let server = try LoopbackServer { request in
            request.path == "/1" ? ServerResponse.ok(Data()).held(by: gate) : .ok(Data())
        }
        var limits = QueuedTransport.Limits()
        limits.perHost = 1
        var configuration = CurlTransport.Configuration()
        configuration.maxConnectionsPerHost = 1
        let transport: any Transport =
            isLibcurls ? CurlTransport(configuration) : QueuedTransport(CurlTransport(), limits: limits)
        let handler = times.recorder()
        _ = transport.start(request(server.url("/1")) { $0.limits.minimumRate = nil }, handler: Recorder())
        #expect(await poll { gate.arrived == 1 })
        _ = transport.start(request(server.url("/2")), handler: handler)
        // A later request has completed, so this one is waiting.
        let (other, last) = (try LoopbackServer { _ in .ok(Data()) }, Recorder())
        _ = transport.start(request(other.url("/")), handler: last)
        _ = try await last.result().get()
        let released = ContinuousClock.now
        gate.release()
        _ = try await handler.result().get()
        #expect(try #require(times.requested) >= released)
    }

    @Test(
        "The last exchange of a chain counts; a delivered redirect has the time before its hook"
    )
    func timesOfRedirects() async throws {
        let (gate, times) = (ServerGate(), TimeRecorder())
        let server = try LoopbackServer { request in
            request.path == "/1" ? ServerResponse.redirect(to: "/2").held(by: gate) : .ok(Data())
        }
        let handler = times.recorder()
        _ = HTTPFetch(CurlTransport()).start(request(server.url("/1")), handler: handler)
        #expect(await poll { gate.arrived == 1 })
        let released = ContinuousClock.now
        gate.release()
        _ = try await handler.result().get()
        #expect(try #require(times.requested) >= released)

        let hookTime = Mutex<ContinuousClock.Instant?>(nil)
        let other = times.recorder()
        _ = HTTPFetch(CurlTransport()).start(
            request(server.url("/1")),
            redirect: { _, _, answer in
                hookTime.withLock { $0 = .now }
                answer(.deliver)
            }, handler: other)
        _ = try await other.result().get()
        #expect(other.now.head?.statusCode == 302)
        #expect(try #require(times.responded) <= (try #require(hookTime.withLock { $0 })))
    }
}

import Foundation
import KingfisherTestSupport
import KingfisherTransport
import Testing

/// Servers that fail during a TLS handshake or after it.
@Suite struct TLSFaultTests {
    private let rig = TLSRig()

    private func error(_ handshake: ServerTLS.Handshake, connect: Duration = .seconds(100)) async throws
        -> TransportError?
    {
        var tls = ServerTLS()
        tls.handshake = handshake
        let server = try LoopbackServer(tls: tls) { _ in .ok(Data()) }
        defer { server.stop() }
        let start = ContinuousClock.now
        let error = try await rig.send(server.url(), TLSRig.configuration(), connect: connect).error()
        #expect(ContinuousClock.now - start < .seconds(80 * ProcessStatus.slowness))
        #expect(await server.wait { $0.openConnections == 0 })
        return error
    }

    @Test(arguments: [ServerTLS.Handshake.reset, .plainText])
    func failedHandshakesAreErrors(_ handshake: ServerTLS.Handshake) async throws {
        let error = try await error(handshake)
        guard case .tls = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }

    @Test func endlessHandshakeEndsInAConnectTimeout() async throws {
        #expect(try await error(.hang, connect: .milliseconds(300)) == .timedOut(.connect))
    }

    @Test func plainRequestToATLSServerFails() async throws {
        let server = try LoopbackServer(tls: ServerTLS()) { _ in .ok(Data()) }
        defer { server.stop() }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
        let error = try await rig.send(url).error()
        guard case .connectionLost = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
    }

    @Test func truncatedBodiesFail() async throws {
        let body = bytes(50_000)
        let server = try LoopbackServer(tls: ServerTLS()) { request in
            switch request.path {
            case "/whole": ServerResponse([.send(ServerResponse.head(200)), .send(body), .close])
            case "/reset": .partial(body, of: 60_000, then: .reset)
            default: .partial(body, of: 60_000, then: .close)
            }
        }
        defer { server.stop() }
        let tls = try TLSRig.configuration()
        #expect(try await rig.send(server.url("/whole"), tls).now.body == body)
        guard case .connectionLost = try await rig.send(server.url("/reset"), tls).error() else {
            return #expect(Bool(false), "reset")
        }
        guard case .truncated = try await rig.send(server.url("/close"), tls).error() else {
            return #expect(Bool(false), "close")
        }
    }

    @Test func serverRefusesAKeyOfAnotherCertificate() throws {
        #expect(throws: ServerTLS.Failure.self) {
            try LoopbackServer(tls: ServerTLS(privateKey: Fixtures.url(named: "TLS/client.key"))) { _ in
                .ok(Data())
            }
        }
    }
}

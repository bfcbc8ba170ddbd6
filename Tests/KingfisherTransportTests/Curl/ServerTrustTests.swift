import Foundation
import KingfisherTestSupport
import KingfisherTransport
import Testing

/// Trust in servers over TLS.
@Suite struct ServerTrustTests {
    private let rig = TLSRig()

    private func server(_ tls: ServerTLS = ServerTLS()) throws -> LoopbackServer {
        try LoopbackServer(tls: tls) { _ in .ok(Data("in".utf8)) }
    }

    @Test(arguments: [true, false]) func configuredAuthorityIsTrusted(trustsSystem: Bool) async throws {
        let server = try server()
        defer { server.stop() }
        let tls = try TLSRig.configuration { $0.trustsSystemAuthorities = trustsSystem }
        let first = try await rig.send(server.url(), tls)
        #expect(first.now.body == Data("in".utf8))
        let metrics = try #require(try first.now.result?.get())
        #expect(metrics.tls > 0 && metrics.protocolName == "HTTP/1.1")
        let second = try #require(try await rig.send(server.url(), tls).now.result?.get())
        #expect(second.reusedConnection && second.tls == 0)
    }

    @Test func systemAuthorityIsTrustedBesideConfiguredOnes() async throws {
        let server = try server()
        defer { server.stop() }
        let transport = curlTransport {
            $0.resolver = StubResolver { _ in .success(loopback) }
            $0.systemAuthorities = Fixtures.url(named: "TLS/authority.pem").path
        }
        let rig = TLSRig(transport: transport)
        var tls = TLSConfiguration()
        tls.certificateAuthorities = [try Fixtures.data(named: "TLS/client-authority.pem")]
        #expect(try await rig.send(server.url(), tls).now.body == Data("in".utf8))
        // Its open connection is not reused for requests that do not trust the system.
        tls.trustsSystemAuthorities = false
        #expect(try await rig.fault(server.url(), tls) == .unknownAuthority)
        #expect(server.requestCount() == 1)
    }

    @Test(arguments: [
        ("expired", CertificateFault.expired), ("future", .notYetValid), ("wrong-host", .wrongHost),
        ("self-signed", .selfSigned),
    ])
    func faultyCertificateIsRefused(_ name: String, fault: CertificateFault) async throws {
        let server = try server(ServerTLS(name))
        defer { server.stop() }
        #expect(try await rig.fault(server.url(), TLSRig.configuration()) == fault)
        #expect(server.requestCount() == 0)
    }

    @Test func unknownAuthorityIsRefused() async throws {
        let server = try server()
        defer { server.stop() }
        #expect(try await rig.fault(server.url(), TLSConfiguration()) == .unknownAuthority)
        var withoutSystem = TLSConfiguration()
        withoutSystem.trustsSystemAuthorities = false
        #expect(try await rig.fault(server.url(), withoutSystem) == .unknownAuthority)
        // Connections that trust the authority are not reused for requests that do not.
        try await rig.send(server.url(), TLSRig.configuration())
        #expect(server.requestCount() == 1 && server.openConnections == 1)
        #expect(try await rig.fault(server.url(), TLSConfiguration()) == .unknownAuthority)
        #expect(server.requestCount() == 1)
    }

    @Test(arguments: ["self-signed", "expired", "wrong-host"])
    func onlyTrustedHostIsNotVerified(_ name: String) async throws {
        let server = try server(ServerTLS(name))
        defer { server.stop() }
        let host = server.url(host: "localhost")
        var tls = TLSConfiguration()
        tls.trustedHosts = ["LocalHost"]
        #expect(try await rig.send(host, tls).now.body == Data("in".utf8))
        #expect(try await rig.fault(server.url(), tls) != nil, "the same server under another name")
        // The open connection must not be reused, and its TLS session must not be resumed.
        #expect(try await rig.fault(host, TLSConfiguration()) != nil)
        #expect(try await rig.fault(host, TLSRig.configuration()) != nil)
        #expect(server.requestCount() == 1)
        #expect(try await rig.send(host, tls).now.result?.get().reusedConnection == true)
    }

    @Test func redirectDoesNotTakeTrustAlong() async throws {
        let target = try server(ServerTLS("self-signed"))
        defer { target.stop() }
        let location = target.url().absoluteString
        let start = try LoopbackServer(tls: ServerTLS("self-signed")) { _ in .redirect(to: location) }
        defer { start.stop() }
        var tls = TLSConfiguration()
        tls.trustedHosts = ["localhost"]
        let url = start.url(host: "localhost")
        #expect(try await rig.fault(url, tls) == .selfSigned)
        #expect(target.requestCount() == 0)
        tls.trustedHosts = ["localhost", "127.0.0.1"]
        #expect(try await rig.send(url, tls).now.body == Data("in".utf8))
    }

    @Test func redirectsUpgradeButNeverDowngradeTheScheme() async throws {
        let plain = try LoopbackServer { _ in .ok(Data("plain".utf8)) }
        defer { plain.stop() }
        let location = plain.url().absoluteString
        let secure = try LoopbackServer(tls: ServerTLS()) { request in
            request.path == "/down" ? .redirect(to: location) : .ok(Data("secure".utf8))
        }
        defer { secure.stop() }
        let tls = try TLSRig.configuration()
        guard case .redirectRefused = try await rig.send(secure.url("/down"), tls).error() else {
            return #expect(Bool(false), "https must not redirect to http")
        }
        #expect(plain.requestCount() == 0)
        let target = secure.url("/in").absoluteString
        let start = try LoopbackServer { _ in .redirect(to: target) }
        defer { start.stop() }
        #expect(try await rig.send(start.url(), tls).now.body == Data("secure".utf8))
    }

    @Test func minimumTLSVersionIsEnforced() async throws {
        var old = ServerTLS()
        old.maximumVersion = .tls12
        let server = try server(old)
        defer { server.stop() }
        #expect(try await rig.send(server.url(), TLSRig.configuration()).now.body == Data("in".utf8))
        let strict = try TLSRig.configuration { $0.minimumVersion = .tls13 }
        guard case .tls = try await rig.send(server.url(), strict).error() else {
            return #expect(Bool(false), "TLS 1.2 is too old")
        }
        #expect(server.requestCount() == 1)
    }

    @Test(arguments: [
        "no certificate at all", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    ])
    func unusableAuthorityFails(_ text: String) async throws {
        let server = try server()
        defer { server.stop() }
        var tls = TLSConfiguration()
        tls.certificateAuthorities = [Data(text.utf8)]
        guard case .tls = try await rig.send(server.url(), tls).error() else {
            return #expect(Bool(false), "the transfer must fail")
        }
        #expect(server.requestCount() == 0)
    }
}

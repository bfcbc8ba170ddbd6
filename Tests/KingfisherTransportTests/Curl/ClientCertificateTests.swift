import Foundation
import KingfisherTestSupport
import KingfisherTransport
import Testing

/// Which servers see a client's certificate.
@Suite struct ClientCertificateTests {
    private let rig = TLSRig()

    private func server(
        requires: Bool = true, version: TLSConfiguration.Version = .tls13,
        _ handler: @escaping LoopbackServer.Handler = { .ok(Data(($0.clientName ?? "nobody").utf8)) }
    ) throws -> LoopbackServer {
        var tls = ServerTLS()
        tls.clientAuthority = Fixtures.url(named: "TLS/client-authority.pem")
        tls.requiresClientCertificate = requires
        tls.maximumVersion = version
        return try LoopbackServer(tls: tls, handler)
    }

    /// Shows `certificate` to the servers named.
    private func configuration(_ certificate: ClientCertificate, for servers: String...) throws
        -> TLSConfiguration
    {
        try TLSRig.configuration { tls in
            for server in servers { tls.clientCertificates[server] = certificate }
        }
    }

    @Test(arguments: [TLSConfiguration.Version.tls12, .tls13])
    func isShownWhereItIsFor(_ version: TLSConfiguration.Version) async throws {
        let server = try server(version: version)
        defer { server.stop() }
        let tls = try configuration(TLSRig.reader, for: "LOCALHOST:\(server.port)")
        let handler = try await rig.send(server.url(host: "localhost"), tls)
        #expect(handler.now.body == Data("reader".utf8))
    }

    @Test func anEncryptedKey() async throws {
        let server = try server()
        defer { server.stop() }
        var certificate = try TLSRig.reader
        certificate.privateKey = try Fixtures.data(named: "TLS/client-encrypted.key")
        for passphrase in [nil, "sesame"] {
            certificate.passphrase = passphrase
            let tls = try configuration(certificate, for: "127.0.0.1:\(server.port)")
            guard case .tls = try await rig.send(server.url(), tls).error() else {
                return #expect(Bool(false), "the key stays shut")
            }
        }
        certificate.passphrase = "open sesame"
        let tls = try configuration(certificate, for: "127.0.0.1:\(server.port)")
        #expect(try await rig.send(server.url(), tls).now.body == Data("reader".utf8))
    }

    @Test func aServerThatInsists() async throws {
        let server = try server()
        defer { server.stop() }
        guard
            case .clientCertificateRequired = try await rig.send(server.url(), TLSRig.configuration()).error()
        else { return #expect(Bool(false), "it wants a certificate") }
        let stranger = try ClientCertificate(
            chainFile: Fixtures.url(named: "TLS/stranger.pem"),
            privateKeyFile: Fixtures.url(named: "TLS/stranger.key"))
        let tls = try configuration(stranger, for: "127.0.0.1:\(server.port)")
        guard case .clientCertificateRejected = try await rig.send(server.url(), tls).error() else {
            return #expect(Bool(false), "it does not know this one")
        }
        #expect(server.requestCount() == 0)
    }

    @Test func anOldServerThatInsists() async throws {
        let server = try server(version: .tls12)
        defer { server.stop() }
        // TLS 1.2 has no word for it.
        guard case .tls = try await rig.send(server.url(), TLSRig.configuration()).error() else {
            return #expect(Bool(false), "it wants a certificate")
        }
    }

    @Test func noOtherHostPortOrConfigurationSeesIt() async throws {
        let server = try server(requires: false)
        defer { server.stop() }
        let host = server.url(host: "localhost")
        let tls = try configuration(
            TLSRig.reader, for: "localhost:\(server.port)", "127.0.0.1", "127.0.0.1:1")
        #expect(try await rig.send(host, tls).now.body == Data("reader".utf8))
        #expect(try await rig.send(server.url(), tls).now.body == Data("nobody".utf8))
        // A connection that carries the certificate is not for those without it.
        #expect(try await rig.send(host, TLSRig.configuration()).now.body == Data("nobody".utf8))
        #expect(try await rig.send(host, tls).now.result?.get().reusedConnection == true)
    }

    @Test func aRedirectTakesItNowhere() async throws {
        let target = try server(requires: false)
        defer { target.stop() }
        let location = target.url(host: "localhost").absoluteString
        let start = try server { _ in .redirect(to: location) }
        defer { start.stop() }
        let tls = try configuration(TLSRig.reader, for: "localhost:\(start.port)")
        let handler = try await rig.send(start.url(host: "localhost"), tls)
        #expect(start.requests.first?.clientName == "reader")
        #expect(handler.now.body == Data("nobody".utf8), "another port is another server")
    }

    @Test(arguments: ["", "no certificate"]) func anUnusableOneIsNoticed(_ text: String) async throws {
        let server = try server(requires: false)
        defer { server.stop() }
        let certificate = ClientCertificate(chain: Data(text.utf8), privateKey: Data(text.utf8))
        let tls = try configuration(certificate, for: "127.0.0.1:\(server.port)")
        guard case .tls = try await rig.send(server.url(), tls).error() else {
            return #expect(Bool(false), "the transfer must not go on without it")
        }
        #expect(server.requestCount() == 0)
    }

    @Test func keyAndPassphraseAreNotPrinted() throws {
        var certificate = try TLSRig.reader
        certificate.passphrase = "open sesame"
        var dumped = ""
        dump(["host": certificate], to: &dumped)
        for text in ["\(certificate)", String(reflecting: [certificate]), dumped] {
            #expect(!text.contains("sesame") && !text.contains("passphrase") && !text.contains("privateKey"))
        }
    }
}

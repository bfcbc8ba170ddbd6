import Foundation
import KingfisherTestSupport
import KingfisherTransport
import Testing

/// The servers that receive a client's certificate.
@Suite struct ClientCertificateTests {
    private let rig = TLSRig()

    private func server(
        requires: Bool = true, version: TLSConfiguration.Version = .tls13,
        _ handler: @escaping LoopbackServer.Handler = { .ok(Data(($0.clientName ?? "anonymous").utf8)) }
    ) throws -> LoopbackServer {
        var tls = ServerTLS()
        tls.clientAuthority = Fixtures.url(named: "TLS/client-authority.pem")
        tls.requiresClientCertificate = requires
        tls.maximumVersion = version
        return try LoopbackServer(tls: tls, handler)
    }

    /// Sends `certificate` to the named servers.
    private func configuration(_ certificate: ClientCertificate, for servers: String...) throws
        -> TLSConfiguration
    {
        try TLSRig.configuration { tls in
            for server in servers { tls.clientCertificates[server] = certificate }
        }
    }

    @Test(arguments: [TLSConfiguration.Version.tls12, .tls13])
    func certificateIsSentToItsServer(_ version: TLSConfiguration.Version) async throws {
        let server = try server(version: version)
        defer { server.stop() }
        let tls = try configuration(TLSRig.reader, for: "LOCALHOST:\(server.port)")
        let handler = try await rig.send(server.url(host: "localhost"), tls)
        #expect(handler.now.body == Data("reader".utf8))
    }

    @Test func encryptedKeyNeedsItsPassphrase() async throws {
        let server = try server()
        defer { server.stop() }
        var certificate = try TLSRig.reader
        certificate.privateKey = try Fixtures.data(named: "TLS/client-encrypted.key")
        for passphrase in [nil, "sesame"] {
            certificate.passphrase = passphrase
            let tls = try configuration(certificate, for: "127.0.0.1:\(server.port)")
            guard case .tls = try await rig.send(server.url(), tls).error() else {
                return #expect(Bool(false), "the key cannot be decrypted")
            }
        }
        certificate.passphrase = "open sesame"
        let tls = try configuration(certificate, for: "127.0.0.1:\(server.port)")
        #expect(try await rig.send(server.url(), tls).now.body == Data("reader".utf8))
    }

    @Test func requiredCertificateIsMissingOrUnknown() async throws {
        let server = try server()
        defer { server.stop() }
        guard
            case .clientCertificateRequired = try await rig.send(server.url(), TLSRig.configuration()).error()
        else { return #expect(Bool(false), "the server requires a certificate") }
        let unknown = try ClientCertificate(
            chainFile: Fixtures.url(named: "TLS/stranger.pem"),
            privateKeyFile: Fixtures.url(named: "TLS/stranger.key"))
        let tls = try configuration(unknown, for: "127.0.0.1:\(server.port)")
        guard case .clientCertificateRejected = try await rig.send(server.url(), tls).error() else {
            return #expect(Bool(false), "the server does not trust this certificate")
        }
        #expect(server.requestCount() == 0)
    }

    @Test func requiredCertificateIsMissingWithTLS12() async throws {
        let server = try server(version: .tls12)
        defer { server.stop() }
        // TLS 1.2 has no alert for a missing certificate.
        guard case .tls = try await rig.send(server.url(), TLSRig.configuration()).error() else {
            return #expect(Bool(false), "the server requires a certificate")
        }
    }

    @Test func certificateIsNotSentToOtherHostsOrPorts() async throws {
        let server = try server(requires: false)
        defer { server.stop() }
        let host = server.url(host: "localhost")
        let tls = try configuration(
            TLSRig.reader, for: "localhost:\(server.port)", "127.0.0.1", "127.0.0.1:1")
        #expect(try await rig.send(host, tls).now.body == Data("reader".utf8))
        #expect(try await rig.send(server.url(), tls).now.body == Data("anonymous".utf8))
        // A connection with the certificate is not reused for requests without it.
        #expect(try await rig.send(host, TLSRig.configuration()).now.body == Data("anonymous".utf8))
        #expect(try await rig.send(host, tls).now.result?.get().reusedConnection == true)
    }

    @Test("A connection is not reused with the same certificate and another key or passphrase")
    func otherKey() async throws {
        let server = try server()
        defer { server.stop() }
        let (right, name) = (try TLSRig.reader, "127.0.0.1:\(server.port)")
        let first = try await rig.send(server.url(), configuration(right, for: name))
        #expect(first.now.body == Data("reader".utf8))
        var (other, locked) = (right, right)
        other.privateKey = try Fixtures.data(named: "TLS/stranger.key")
        locked.privateKey = try Fixtures.data(named: "TLS/client-encrypted.key")
        for certificate in [other, locked] {
            guard case .tls = try await rig.send(server.url(), configuration(certificate, for: name)).error()
            else { return #expect(Bool(false), "the key does not fit, or cannot be decrypted") }
        }
        #expect(server.requestCount() == 1)
        let again = try await rig.send(server.url(), configuration(right, for: name))
        #expect(try again.now.result?.get().reusedConnection == true)
    }

    @Test func redirectDoesNotTakeTheCertificateAlong() async throws {
        let target = try server(requires: false)
        defer { target.stop() }
        let location = target.url(host: "localhost").absoluteString
        let start = try server { _ in .redirect(to: location) }
        defer { start.stop() }
        let tls = try configuration(TLSRig.reader, for: "localhost:\(start.port)")
        let handler = try await rig.send(start.url(host: "localhost"), tls)
        #expect(start.requests.first?.clientName == "reader")
        #expect(handler.now.body == Data("anonymous".utf8), "another port is another server")
    }

    @Test(arguments: ["", "no certificate"]) func unusableCertificateFails(_ text: String) async throws {
        let server = try server(requires: false)
        defer { server.stop() }
        let certificate = ClientCertificate(chain: Data(text.utf8), privateKey: Data(text.utf8))
        let tls = try configuration(certificate, for: "127.0.0.1:\(server.port)")
        guard case .tls = try await rig.send(server.url(), tls).error() else {
            return #expect(Bool(false), "the transfer must not continue without the certificate")
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

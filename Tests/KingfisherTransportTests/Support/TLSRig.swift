import Foundation
import KingfisherTestSupport
import KingfisherTransport
import Testing

/// Requests over TLS to servers on this machine, under one transport.
struct TLSRig {
    /// Its resolver maps all names to the loopback address.
    var transport = curlTransport { $0.resolver = StubResolver { _ in .success(loopback) } }

    /// A configuration that trusts the servers' authority.
    static func configuration(_ change: (inout TLSConfiguration) -> Void = { _ in }) throws
        -> TLSConfiguration
    {
        var configuration = TLSConfiguration()
        configuration.certificateAuthorities = [try Fixtures.data(named: "TLS/authority.pem")]
        change(&configuration)
        return configuration
    }

    /// A client certificate that servers with `TLS/client-authority.pem` accept.
    static var reader: ClientCertificate {
        get throws {
            try ClientCertificate(
                chainFile: Fixtures.url(named: "TLS/client-chain.pem"),
                privateKeyFile: Fixtures.url(named: "TLS/client.key"))
        }
    }

    @discardableResult
    func send(
        _ url: URL, _ tls: TLSConfiguration = TLSConfiguration(), connect: Duration = .seconds(10),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Recorder {
        let request = request(url) { request in
            request.tls = tls
            request.limits.connect = connect
        }
        return try await HTTPFetch(transport).run(request, sourceLocation: sourceLocation)
    }

    /// The fault of a server certificate that is not trusted.
    func fault(_ url: URL, _ tls: TLSConfiguration) async throws -> CertificateFault? {
        if case .untrustedCertificate(let fault, _) = try await send(url, tls).error() { fault } else { nil }
    }
}

public import Foundation
public import KingfisherTransport

/// How a ``LoopbackServer`` speaks TLS.
///
/// The fixtures `TLS/` hold certificates for localhost, 127.0.0.1 and ::1 by the authority
/// `TLS/authority.pem`, and broken ones with the same key; `scripts/fixtures/tls.py` says what each is.
public struct ServerTLS: Sendable {
    /// What becomes of the client's first bytes.
    public enum Handshake: Sendable {
        case complete
        /// The connection breaks.
        case reset
        /// The server never answers.
        case hang
        /// The server answers as if there were no TLS.
        case plainText
    }

    /// Why OpenSSL does not take a certificate, key or authority.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// Files with the certificate, intermediate ones after it, and its key, in PEM.
    public var certificate: URL
    /// A file with the key of that certificate, in PEM.
    public var privateKey: URL
    /// A file with the authority of the clients' certificates; `nil` asks for none.
    public var clientAuthority: URL?
    /// Whether a client without a certificate is turned away, or served all the same.
    public var requiresClientCertificate = true
    /// The newest version that the server speaks.
    public var maximumVersion = TLSConfiguration.Version.tls13
    /// What becomes of a client that begins the handshake.
    public var handshake = Handshake.complete

    /// Takes a certificate of the fixtures, by its name without folder and extension, unless files are given.
    public init(_ fixture: String = "server", certificate: URL? = nil, privateKey: URL? = nil) {
        self.certificate = certificate ?? Fixtures.url(named: "TLS/\(fixture).pem")
        self.privateKey = privateKey ?? Fixtures.url(named: "TLS/server.key")
    }
}

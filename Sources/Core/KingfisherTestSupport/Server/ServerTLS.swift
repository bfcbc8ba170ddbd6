public import Foundation
public import KingfisherTransport

/// The TLS settings of a ``LoopbackServer``.
///
/// The fixtures in `TLS/` are certificates for localhost, 127.0.0.1 and ::1 by the authority
/// `TLS/authority.pem`, and invalid ones with the same key; `Tests/Fixtures/generate/tls.py` describes each.
public struct ServerTLS: Sendable {
    /// The server's reaction to a handshake.
    public enum Handshake: Sendable {
        case complete
        /// Reset the connection.
        case reset
        /// Never respond.
        case hang
        /// Respond without TLS.
        case plainText
    }

    /// OpenSSL's reason for rejecting a certificate, key or authority.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// A PEM file with the certificate, followed by intermediate ones.
    public var certificate: URL
    /// A PEM file with the key of the certificate.
    public var privateKey: URL
    /// A file with the authority of client certificates; `nil` requests none.
    public var clientAuthority: URL?
    /// Whether clients without a certificate are rejected.
    public var requiresClientCertificate = true
    /// The maximum protocol version.
    public var maximumVersion = TLSConfiguration.Version.tls13
    /// The server's reaction to a handshake.
    public var handshake = Handshake.complete

    /// Uses a certificate of the fixtures, by its name without folder and extension, unless files are given.
    public init(_ fixture: String = "server", certificate: URL? = nil, privateKey: URL? = nil) {
        self.certificate = certificate ?? Fixtures.url(named: "TLS/\(fixture).pem")
        self.privateKey = privateKey ?? Fixtures.url(named: "TLS/server.key")
    }
}

public import Foundation

/// The trust anchors and client certificates of https transfers.
///
/// Each transfer uses the settings for its host; a redirect is a new transfer. Connections are not shared
/// between configurations.
public struct TLSConfiguration: Sendable, Hashable {
    /// A version of the TLS protocol.
    public enum Version: Sendable, Hashable {
        case tls12
        case tls13
    }

    /// Certificates of additional trust anchors, in PEM. An element may contain several.
    public var certificateAuthorities: [Data] = []

    /// Whether the system's trust anchors are trusted in addition to ``certificateAuthorities``.
    public var trustsSystemAuthorities = true

    /// Hosts whose certificates are not verified: self-signed and expired ones and those for another name are
    /// accepted.
    ///
    /// For development servers only. An attacker on the network can read and change all data of such a host.
    /// Names are compared without regard to case and apply to every port.
    public var trustedHosts: Set<String>?

    /// The certificates to present to servers that request one, by host. `example.org` means port 443;
    /// `example.org:8443` or `[::1]:8443` names another port. `example.org:443` takes precedence over
    /// `example.org`. Other hosts and ports never receive a certificate.
    public var clientCertificates: [String: ClientCertificate] = [:]

    /// The minimum protocol version.
    public var minimumVersion = Version.tls12

    public init() {}

    var isDefault: Bool {
        certificateAuthorities.isEmpty && trustsSystemAuthorities && trustedHosts == nil
            && clientCertificates.isEmpty && minimumVersion == .tls12
    }
}

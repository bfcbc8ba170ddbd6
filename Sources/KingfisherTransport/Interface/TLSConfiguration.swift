public import Foundation

/// Whom https transfers trust, and as whom they present themselves.
///
/// A transfer takes what concerns its own host; each redirect is looked at anew. Connections made under one
/// configuration are not used by transfers of another.
public struct TLSConfiguration: Sendable, Hashable {
    /// A version of the TLS protocol.
    public enum Version: Sendable, Hashable {
        case tls12
        case tls13
    }

    /// Certificates of authorities to trust, in PEM; each element may hold several.
    public var certificateAuthorities: [Data] = []

    /// Whether the system's authorities are trusted beside ``certificateAuthorities``, or those alone.
    public var trustsSystemAuthorities = true

    /// Hosts whose certificates are not verified at all: self-signed, expired and for another name will do.
    ///
    /// Meant for development servers. Whoever sits between can read and change what such a host sends. Names
    /// are compared without regard to case, and hold for every port.
    public var trustedHosts: Set<String>?

    /// The certificates to present to servers that ask for one, by host: `example.org` means its port 443,
    /// `example.org:8443` or `[::1]:8443` another one. `example.org:443` goes before `example.org`. No
    /// other host or port is shown them.
    public var clientCertificates: [String: ClientCertificate] = [:]

    /// The oldest protocol version to speak.
    public var minimumVersion = Version.tls12

    public init() {}
}

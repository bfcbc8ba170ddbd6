/// Why a server's certificate is not trusted.
public enum CertificateFault: Sendable, Hashable {
    case expired
    case notYetValid
    /// It vouches for itself, and nobody else does.
    case selfSigned
    /// The authority that issued it, or one further up, is not among those trusted.
    case unknownAuthority
    /// It is valid, but for another host.
    case wrongHost
    case other
}

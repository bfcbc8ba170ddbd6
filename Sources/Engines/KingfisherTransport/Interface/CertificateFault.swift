/// The reason why a server's certificate is not trusted.
public enum CertificateFault: Sendable, Hashable {
    /// The certificate has expired.
    case expired
    /// The certificate is not valid yet, or this machine's clock is wrong.
    case notYetValid
    /// The certificate is self-signed, and it is not a trust anchor.
    case selfSigned
    /// The certificate's chain does not end at a trust anchor.
    case unknownAuthority
    /// The certificate is valid, but for another host.
    case wrongHost
    /// Another reason, which is in the error's text.
    case other
}

/// Why a server's certificate is not trusted.
public enum CertificateFault: Sendable, Hashable {
    /// Its last day has passed.
    case expired
    /// Its first day is yet to come, or the clock of this machine is wrong.
    case notYetValid
    /// It vouches for itself, and nobody else does.
    case selfSigned
    /// The authority that issued it, or one further up, is not among those trusted.
    case unknownAuthority
    /// It is valid, but for another host.
    case wrongHost
    /// OpenSSL names another reason; the error's text has it.
    case other
}

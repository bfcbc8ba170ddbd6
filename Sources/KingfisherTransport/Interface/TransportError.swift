/// Why a transfer failed.
///
/// Texts are meant for logs: they name hosts and causes, but no header or body contents.
public enum TransportError: Error, Sendable, Hashable {
    /// The part of a transfer that took too long.
    public enum Phase: String, Sendable, Hashable {
        /// The name lookup.
        case resolve
        /// TCP or TLS setup.
        case connect
        /// A silence of the server: not a byte arrived.
        case idle
        /// Everything together.
        case total
    }

    /// Cancelled through its task, its handler or the transport's invalidation.
    case cancelled
    case timedOut(Phase)
    /// The server sent less than the minimum rate, others waited for the transfer's slot, and too many slow
    /// transfers went on without one; see ``QueuedTransport``.
    case tooSlow(MinimumRate)
    /// The network is metered, and the request is not meant for such a one.
    case constrained
    /// The request cannot be sent: no usable URL, or a method or header field that HTTP does not allow.
    case invalidRequest(String)
    /// The host name has no address.
    case resolve(String)
    /// No address of the host accepted a connection.
    case connect(String)
    /// The address policy allows no address of this host, or not the peer of the connection at hand.
    case addressRefused(String)
    /// No secure connection: the server speaks no TLS, none in common with us, or what was configured is
    /// unusable.
    case tls(String)
    /// The server's certificate is not trusted.
    case untrustedCertificate(CertificateFault, String)
    /// The server wants a certificate of the client's, and there is none for it.
    case clientCertificateRequired(String)
    /// The server does not accept the client's certificate.
    case clientCertificateRejected(String)
    /// The connection broke before the response was complete, without a promise about its length broken.
    case connectionLost(String)
    /// The body ended before the length, or the last chunk, that the server had announced.
    case truncated(String)
    /// The decoded body exceeds the limit, in bytes.
    case bodyTooLarge(limit: Int)
    /// Status lines, header fields and trailers together exceed the limit, in bytes.
    case headerTooLarge(limit: Int)
    /// The answer is not HTTP, or breaks its rules.
    case malformed(String)
    /// The body does not follow its content encoding.
    case undecodable(String)
    /// More redirects than allowed; a loop ends here too.
    case tooManyRedirects(limit: Int)
    /// A redirect to where none may lead: not http or https, or from https to http.
    case redirectRefused(String)
    /// Anything else that libcurl or the system reports.
    case io(String)
    /// Reported by a `URLProtocol` of the user's.
    case foreign(ForeignError)
}

extension TransportError: CustomStringConvertible {
    public var description: String { message }

    /// One line that says what went wrong.
    public var message: String {
        switch self {
        case .cancelled: "the transfer was cancelled"
        case .timedOut(.resolve): "timed out while looking up the host name"
        case .timedOut(.connect): "timed out while connecting"
        case .timedOut(.idle): "timed out: the server went silent"
        case .timedOut(.total): "timed out: the transfer as a whole took too long"
        case .tooSlow(let rate):
            "too slow: less than \(rate.bytesPerSecond) bytes a second over \(rate.window), "
                + "while other transfers waited"
        case .constrained: "the network is metered"
        case .invalidRequest(let text): "the request cannot be sent: \(text)"
        case .resolve(let text): "the host name could not be resolved: \(text)"
        case .connect(let text): "no connection: \(text)"
        case .addressRefused(let text):
            "address refused: \(text) leads to where ImageDownloader.addressPolicy allows no connection"
        case .tls(let text): "secure connection failed: \(text)"
        case .untrustedCertificate(let fault, let text):
            "the server's certificate is not trusted: \(text)\(fault.remedy)"
        case .clientCertificateRequired(let text): "the server asks for a client certificate: \(text)"
        case .clientCertificateRejected(let text): "the server rejects the client certificate: \(text)"
        case .connectionLost(let text): "the connection was lost: \(text)"
        case .truncated(let text): "the body is incomplete: \(text)"
        case .bodyTooLarge(let limit): "the body exceeds \(limit) bytes"
        case .headerTooLarge(let limit): "the response's header exceeds \(limit) bytes"
        case .malformed(let text): "the answer is not valid HTTP: \(text)"
        case .undecodable(let text): "the body cannot be decoded: \(text)"
        case .tooManyRedirects(let limit): "more than \(limit) redirects"
        case .redirectRefused(let text): "redirect refused: \(text)"
        case .io(let text): "transfer failed: \(text)"
        case .foreign(let foreign): "\(foreign.error)"
        }
    }
}

extension CertificateFault {
    /// What a program may do about it.
    fileprivate var remedy: String {
        let host = "a host that is not to be verified, in development"
        return switch self {
        case .selfSigned, .unknownAuthority, .other:
            " (TLSConfiguration.certificateAuthorities takes an authority of one's own, trustedHosts \(host))"
        case .expired, .notYetValid, .wrongHost:
            " (TLSConfiguration.trustedHosts takes \(host))"
        }
    }
}

/// The reason why a transfer failed.
///
/// Messages are meant for logs: they contain hosts and causes, but no contents of headers or bodies.
public enum TransportError: Error, Sendable, Hashable {
    /// The phase of a transfer that exceeded its time limit.
    public enum Phase: String, Sendable, Hashable {
        /// The name lookup.
        case resolve
        /// TCP or TLS setup.
        case connect
        /// The idle timeout: the server sent no bytes for too long.
        case idle
        /// The deadline of the whole transfer.
        case total
    }

    /// Cancelled by its task, its handler or the transport's invalidation.
    case cancelled
    case timedOut(Phase)
    /// The server was slower than the minimum rate while other transfers waited for the slot, and too many
    /// slow transfers were already running without one; see ``QueuedTransport``.
    case tooSlow(MinimumRate)
    /// The server has refused requests for longer than a transfer waits in a ``QueuedTransport``;
    /// `retryAfter` is the remaining time in seconds.
    case throttled(retryAfter: Double)
    /// As many transfers of the host, or of all hosts, wait in a ``QueuedTransport`` as may; `waiting` is the
    /// number of all.
    case queueFull(waiting: Int)
    /// The network is metered, and the request does not allow that.
    case constrained
    /// The request cannot be sent: it has no usable URL, or an invalid method or header field.
    case invalidRequest(String)
    /// The host name has no address.
    case resolve(String)
    /// No address of the host accepted a connection.
    case connect(String)
    /// The address policy allows no address of this host, or does not allow the peer of a reused connection.
    case addressRefused(String)
    /// TLS setup failed: the server has no TLS or no common version, or the TLS configuration is unusable.
    case tls(String)
    /// The server's certificate is not trusted.
    case untrustedCertificate(CertificateFault, String)
    /// The server requires a client certificate, and none is configured for it.
    case clientCertificateRequired(String)
    /// The server rejected the client certificate.
    case clientCertificateRejected(String)
    /// The connection was lost before the response was complete. The announced length was not violated.
    case connectionLost(String)
    /// The body was truncated: it ended before the announced length or before the last chunk.
    case truncated(String)
    /// The decoded body exceeds the limit in bytes.
    case bodyTooLarge(limit: Int)
    /// Status lines, header fields and trailers together exceed the limit in bytes.
    case headerTooLarge(limit: Int)
    /// The response is not valid HTTP.
    case malformed(String)
    /// The body's content encoding is malformed or not supported.
    case undecodable(String)
    /// There were more redirects than allowed, possibly in a loop.
    case tooManyRedirects(limit: Int)
    /// The redirect's target is not allowed: not http or https, or a downgrade from https to http.
    case redirectRefused(String)
    /// Another error of libcurl or the system.
    case io(String)
    /// An error that a custom `URLProtocol` reported.
    case foreign(ForeignError)
}

extension TransportError: CustomStringConvertible {
    public var description: String { message }

    /// A one-line description of the error.
    public var message: String {
        switch self {
        case .cancelled: "the transfer was cancelled"
        case .timedOut(.resolve): "timed out while looking up the host name"
        case .timedOut(.connect): "timed out while connecting"
        case .timedOut(.idle): "timed out: the server sent no data within the idle timeout"
        case .timedOut(.total): "timed out: the transfer as a whole took too long"
        case .tooSlow(let rate):
            "too slow: less than \(rate.bytesPerSecond) bytes a second over \(rate.window), "
                + "while other transfers waited"
        case .throttled(let seconds):
            "the server refuses requests (429 or 503) for another \(Int(min(seconds, 1e9).rounded(.up))) s"
        case .queueFull(let waiting): "too many transfers wait for a connection, \(waiting) in all"
        case .constrained: "the network is metered"
        case .invalidRequest(let text): "the request cannot be sent: \(text)"
        case .resolve(let text): "the host name could not be resolved: \(text)"
        case .connect(let text): "no connection: \(text)"
        case .addressRefused(let text):
            "address refused: ImageDownloader.addressPolicy allows no address of \(text)"
        case .tls(let text): "secure connection failed: \(text)"
        case .untrustedCertificate(let fault, let text):
            "the server's certificate is not trusted: \(text)\(fault.remedy)"
        case .clientCertificateRequired(let text): "the server asks for a client certificate: \(text)"
        case .clientCertificateRejected(let text): "the server rejects the client certificate: \(text)"
        case .connectionLost(let text): "the connection was lost: \(text)"
        case .truncated(let text): "the body is incomplete: \(text)"
        case .bodyTooLarge(let limit): "the body exceeds \(limit) bytes"
        case .headerTooLarge(let limit): "the response's header exceeds \(limit) bytes"
        case .malformed(let text): "the response is not valid HTTP: \(text)"
        case .undecodable(let text): "the body cannot be decoded: \(text)"
        case .tooManyRedirects(let limit): "more than \(limit) redirects"
        case .redirectRefused(let text): "redirect refused: \(text)"
        case .io(let text): "transfer failed: \(text)"
        case .foreign(let foreign): "\(foreign.error)"
        }
    }
}

extension CertificateFault {
    fileprivate var remedy: String {
        let host = "to skip verification in development, add the host to"
        return switch self {
        case .selfSigned, .unknownAuthority, .other:
            " (add the authority to TLSConfiguration.certificateAuthorities; \(host) trustedHosts)"
        case .expired, .notYetValid, .wrongHost:
            " (\(host) TLSConfiguration.trustedHosts)"
        }
    }
}

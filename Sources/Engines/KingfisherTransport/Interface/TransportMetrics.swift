/// Measurements of a successful transfer. Times are in seconds.
public struct TransportMetrics: Sendable, Hashable {
    /// Name lookup; 0 for a numeric host.
    public var dns = 0.0
    /// TCP setup; 0 on a reused connection.
    public var connect = 0.0
    /// TLS setup; 0 without TLS and on a reused connection.
    public var tls = 0.0
    /// From the start to the first byte of the response.
    public var firstByte = 0.0
    /// From the start to the end.
    public var total = 0.0
    /// Bytes of the request's body that were sent.
    public var bytesSent: Int64 = 0
    /// Bytes of the body as received, before decompression, without header and chunk framing.
    public var bytesReceived: Int64 = 0
    /// Bytes of the body as delivered.
    public var bytesDecoded: Int64 = 0
    /// Whether an existing connection was used.
    public var reusedConnection = false
    /// The number of redirects that were followed; 0 for a single hop.
    public var redirectCount = 0
    /// "HTTP/1.1", "HTTP/2" or "HTTP/1.0".
    public var protocolName = ""
    /// The numeric address of the peer, which may be a proxy.
    public var remoteIP = ""

    /// Whether a request of the transfer, a redirect included, had credentials: user name and password in its
    /// URL, `Authorization`, `Cookie` or `Proxy-Authorization`, or a client certificate for its server.
    /// Cookies of the downloader's storage do not count.
    package var hadCredentials = false

    public init() {}
}

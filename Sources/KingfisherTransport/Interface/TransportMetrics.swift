/// What a transfer that succeeded took. Times are in seconds.
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
    /// Bytes of the body as they came over the wire, still compressed, without header and chunk framing.
    public var bytesReceived: Int64 = 0
    /// Bytes of the body as they were delivered.
    public var bytesDecoded: Int64 = 0
    /// Whether the connection was there already.
    public var reusedConnection = false
    /// How many redirects were followed; a single hop has none.
    public var redirectCount = 0
    /// "HTTP/1.1", "HTTP/2" or "HTTP/1.0".
    public var protocolName = ""
    /// The numeric address of the peer, which is the proxy where one is used.
    public var remoteIP = ""

    public init() {}
}

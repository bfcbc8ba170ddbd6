/// How long a transfer may take and how much it may deliver.
///
/// The defaults are safe for images from servers that nobody vouches for.
public struct TransportLimits: Sendable, Hashable {
    /// The longest time for the name lookup, and again for TCP and TLS setup together.
    ///
    /// Time spent waiting for one of the host's connections to become free does not count.
    public var connect: Duration = .seconds(10)

    /// The longest silence of the server, once connected: a time in which not a byte arrives on the
    /// connection. Time during which the handler pauses the transfer does not count.
    ///
    /// Over TLS only whole header lines and body bytes count, over HTTP/2 only those of this transfer.
    public var idle: Duration = .seconds(15)

    /// The longest time for everything, pauses included; `nil` for no limit.
    ///
    /// It begins when the transfer leaves the queue: the time that it, or the next hop of a redirect, waits
    /// in a ``QueuedTransport`` does not count.
    public var total: Duration? = .seconds(60)

    /// The slowest that a transfer may be while another one waits for its slot in a ``QueuedTransport``;
    /// `nil` for no limit. Without a queue it changes nothing.
    public var minimumRate: MinimumRate? = MinimumRate()

    /// The largest body in bytes, counted after decompression, so that it also stops a decompression bomb.
    public var maxBodyBytes = 64 << 20

    /// The most bytes of status lines, header fields and trailers, those of interim responses included.
    ///
    /// libcurl has a limit of its own on top, between 100 and 300 KB depending on its version.
    public var maxHeaderBytes = 256 << 10

    public init() {}
}

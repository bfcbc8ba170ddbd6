/// The time and size limits of a transfer.
///
/// The defaults are safe for images from untrusted servers.
public struct TransportLimits: Sendable, Hashable {
    /// The connect timeout. It applies to the name lookup, and again to TCP and TLS setup together.
    ///
    /// The time spent waiting for a free connection to the host does not count.
    public var connect: Duration = .seconds(10)

    /// The idle timeout: the maximum time without a byte from the server after the connection is established.
    /// The time during which the handler pauses the transfer does not count.
    ///
    /// Over TLS, only complete header lines and body bytes count; over HTTP/2, only lines and bytes of this
    /// transfer.
    public var idle: Duration = .seconds(15)

    /// The deadline for the whole transfer, including pauses; `nil` for no limit.
    ///
    /// It starts when the transfer leaves the queue: the time that it, or the next hop of a redirect, waits
    /// in a ``QueuedTransport`` does not count.
    public var total: Duration? = .seconds(60)

    /// The minimum speed while another transfer waits for the slot in a ``QueuedTransport``; `nil` for no
    /// limit. It has no effect without a queue.
    public var minimumRate: MinimumRate? = MinimumRate()

    /// The maximum size of the decoded body in bytes. It also stops decompression bombs.
    public var maxBodyBytes = 64 << 20

    /// The maximum size in bytes of all status lines, header fields and trailers, including interim
    /// responses.
    ///
    /// In addition, libcurl has a fixed limit between 100 and 300 KB, depending on its version.
    public var maxHeaderBytes = 256 << 10

    public init() {}
}

public import FoundationNetworking

/// A request for one hop, with its limits.
///
/// URL (http or https), method, header fields and `httpBody` of the `URLRequest` are used. Its timeout and
/// cache policy are not: ``limits`` contains the time limits, and a transport has no cache.
public struct TransportRequest: Sendable {
    /// The request to send.
    public var urlRequest: URLRequest
    /// The time and size limits.
    public var limits: TransportLimits
    /// The priority among waiting transfers, 0...1; see ``QueuedTransport``.
    public var priority: Float = 0.5
    /// The ticket of the fetch; nil if it arrives with this hop.
    package var ticket: QueueTicket?
    /// The addresses that the transfer may connect to.
    public var addressPolicy = AddressPolicy.any
    /// The trust anchors and client certificates.
    public var tls: TLSConfiguration {
        get { trust?.configuration ?? TLSConfiguration() }
        set { trust = newValue == TLSConfiguration() ? nil : Trust(newValue) }
    }

    /// Nil for the defaults. A reference, because requests are copied from stage to stage.
    private var trust: Trust?

    public init(_ urlRequest: URLRequest, limits: TransportLimits = TransportLimits()) {
        self.urlRequest = urlRequest
        self.limits = limits
    }
}

private final class Trust: Sendable {
    let configuration: TLSConfiguration

    init(_ configuration: TLSConfiguration) {
        self.configuration = configuration
    }
}

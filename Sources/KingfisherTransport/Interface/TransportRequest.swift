public import FoundationNetworking

/// A request for one hop, with the limits it is held to.
///
/// Of the `URLRequest`, URL (http or https), method, header fields and `httpBody` are honoured. Its timeout
/// and cache policy are not: ``limits`` says how long the transfer may take, and a transport has no cache.
public struct TransportRequest: Sendable {
    /// What is sent.
    public var urlRequest: URLRequest
    /// How long it may take and how much it may bring.
    public var limits: TransportLimits
    /// How urgent it is, 0...1, among those that wait for their turn; see ``QueuedTransport``.
    public var priority: Float = 0.5
    /// When its fetch arrived; nil where it arrives now, with this hop.
    package var ticket: QueueTicket?
    /// Where it may lead.
    public var addressPolicy = AddressPolicy.any
    /// Whom it trusts.
    public var tls: TLSConfiguration {
        get { trust?.configuration ?? TLSConfiguration() }
        set { trust = newValue == TLSConfiguration() ? nil : Trust(newValue) }
    }

    /// nil for the defaults. Behind a reference, because requests are handed from stage to stage.
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

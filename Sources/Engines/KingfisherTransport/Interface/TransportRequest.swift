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
    /// The maximum number of transfers with such a limit that wait in a ``QueuedTransport``; nil for none.
    package var waitLimit: Int?
    /// The addresses that the transfer may connect to.
    public var addressPolicy: AddressPolicy {
        get { rules?.addressPolicy ?? .any }
        set { rules = ConnectionRules.unlessDefault(newValue, tls) }
    }
    /// The trust anchors and client certificates.
    public var tls: TLSConfiguration {
        get { rules?.tls ?? TLSConfiguration() }
        set { rules = ConnectionRules.unlessDefault(addressPolicy, newValue) }
    }

    /// Nil for the defaults. A reference, because requests are copied from stage to stage.
    private var rules: ConnectionRules?

    public init(_ urlRequest: URLRequest, limits: TransportLimits = TransportLimits()) {
        self.init(urlRequest, limits: limits, addressPolicy: .any, tls: TLSConfiguration())
    }

    package init(
        _ urlRequest: URLRequest, limits: TransportLimits, addressPolicy: AddressPolicy, tls: TLSConfiguration
    ) {
        self.urlRequest = urlRequest
        self.limits = limits
        rules = ConnectionRules.unlessDefault(addressPolicy, tls)
    }

    /// See ``TransportMetrics/hadCredentials``; the URL has no user info any more.
    var hasCredentials: Bool {
        if urlRequest.hasCredentialFields { return true }
        guard let rules, !rules.tls.clientCertificates.isEmpty else { return false }
        return urlRequest.url.flatMap(Origin.init).flatMap(tlsSettings)?.clientCertificate != nil
    }

    /// Nil for an http server, and for settings that do not differ from the defaults.
    func tlsSettings(for server: Origin) -> TLSSettings? {
        rules.flatMap { TLSSettings($0.tls, for: server) }
    }
}

extension URLRequest {
    /// The fields that tell who asks, in lower case.
    package static let credentialFields: Set = ["authorization", "cookie", "proxy-authorization"]

    fileprivate var hasCredentialFields: Bool {
        allHTTPHeaderFields?.keys.contains { Self.credentialFields.contains($0.lowercased()) } ?? false
    }
}

private final class ConnectionRules: Sendable {
    let addressPolicy: AddressPolicy
    let tls: TLSConfiguration

    private init(_ addressPolicy: AddressPolicy, _ tls: TLSConfiguration) {
        self.addressPolicy = addressPolicy
        self.tls = tls
    }

    static func unlessDefault(_ addressPolicy: AddressPolicy, _ tls: TLSConfiguration) -> ConnectionRules? {
        addressPolicy.isGuarded || !tls.isDefault ? ConnectionRules(addressPolicy, tls) : nil
    }
}

package import Foundation

/// Scheme, host and port: what connections are made for, and within which secrets stay (RFC 6454, 4).
package struct Origin: Hashable, Sendable {
    /// Lower case.
    package let scheme: String
    /// Lower case, without the brackets of an IPv6 address.
    package let host: String
    package let port: Int

    init(scheme: String, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// The origin of a URL that names a host.
    package init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), let endpoint = Endpoint(url) else { return nil }
        self.init(scheme: scheme, host: endpoint.host.lowercased(), port: endpoint.port)
    }
}

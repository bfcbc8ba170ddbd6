import Foundation

/// What of a TLS configuration concerns the connection to one server.
struct TLSSettings: Hashable {
    var verifiesServer = true
    /// Authorities in PEM; empty for none but the system's.
    var authorities = Data()
    var trustsSystem = true
    var clientCertificate: ClientCertificate?
    var minimumVersion = TLSConfiguration.Version.tls12

    /// The part for the server of `url`; `nil` where nothing differs from the defaults, as without TLS.
    init?(_ configuration: TLSConfiguration, for url: URL) {
        guard url.scheme?.lowercased() == "https", let endpoint = Endpoint(url) else { return nil }
        let host = Self.bare(endpoint.host)
        verifiesServer = configuration.trustedHosts?.contains { Self.bare($0) == host } != true
        authorities = Data(configuration.certificateAuthorities.joined(separator: Data("\n".utf8)))
        trustsSystem = configuration.trustsSystemAuthorities
        clientCertificate =
            configuration.clientCertificates.first { Self.names($0.key, host, endpoint.port) }?.value
        minimumVersion = configuration.minimumVersion
        guard self != TLSSettings() else { return nil }
    }

    private init() {}

    /// Whether `text`, a host with or without a port, means this server.
    private static func names(_ text: String, _ host: String, _ port: Int) -> Bool {
        [host, "[\(host)]"].contains { spelling in
            text.lowercased() == "\(spelling):\(port)" || (port == 443 && text.lowercased() == spelling)
        }
    }

    /// A host in small letters and without the brackets of an IPv6 address.
    private static func bare(_ host: String) -> String {
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        return (isBracketed ? String(host.dropFirst().dropLast()) : host).lowercased()
    }
}

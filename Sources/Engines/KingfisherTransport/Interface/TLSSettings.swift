import Foundation

struct TLSSettings: Hashable {
    var verifiesServer = true
    /// Additional authorities in PEM, or empty.
    var authorities = Data()
    var trustsSystem = true
    var clientCertificate: ClientCertificate?
    var minimumVersion = TLSConfiguration.Version.tls12

    /// Returns `nil` if all settings are the defaults, or if the server is not an https server.
    init?(_ configuration: TLSConfiguration, for server: Origin) {
        guard server.scheme == "https" else { return nil }
        let host = server.host
        verifiesServer = configuration.trustedHosts?.contains { Self.bare($0) == host } != true
        // For each transfer; `joined` would take the bytes one by one.
        for authority in configuration.certificateAuthorities {
            authorities += authorities.isEmpty ? authority : Data("\n".utf8) + authority
        }
        trustsSystem = configuration.trustsSystemAuthorities
        clientCertificate = Self.certificate(configuration.clientCertificates, host, server.port)
        minimumVersion = configuration.minimumVersion
        guard self != TLSSettings() else { return nil }
    }

    private init() {}

    /// The certificate for this server. An entry with a port takes precedence over one without.
    private static func certificate(
        _ certificates: [String: ClientCertificate], _ host: String, _ port: Int
    ) -> ClientCertificate? {
        let hosts = [host, "[\(host)]"]
        let spellings = hosts.map { "\($0):\(port)" } + (port == 443 ? hosts : [])
        // Sorted, because names may differ only in case.
        let names = certificates.keys.sorted()
        let name = spellings.lazy.compactMap { spelling in names.first { $0.lowercased() == spelling } }.first
        return name.flatMap { certificates[$0] }
    }

    private static func bare(_ host: String) -> String {
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        return (isBracketed ? String(host.dropFirst().dropLast()) : host).lowercased()
    }
}

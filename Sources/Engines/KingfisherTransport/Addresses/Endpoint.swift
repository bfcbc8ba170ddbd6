import Foundation

struct Endpoint: Hashable, Sendable {
    let host: String
    let port: Int

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    init?(_ url: URL) {
        if let plain = Origin.plain(url) {
            self.init(host: plain.host, port: plain.port)
            return
        }
        guard let host = url.host(percentEncoded: false), !host.isEmpty else { return nil }
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        self.init(host: bare, port: url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80))
    }

    /// Whether the host is a numeric address. Only an IPv6 literal, possibly with a zone, contains a colon.
    var isNumeric: Bool {
        var (host, address) = (host, in_addr())
        let hasColon = host.withUTF8 { $0.contains(UInt8(ascii: ":")) }
        return hasColon || inet_pton(AF_INET, host, &address) == 1
    }

    /// An entry for `CURLOPT_RESOLVE`. With the plus sign, it expires like libcurl's own entries.
    func curlResolveEntry(_ addresses: [IPAddress]) -> String {
        let list = addresses.map { $0.isIPv6 ? "[\($0)]" : "\($0)" }.joined(separator: ",")
        return "+\(host):\(port):\(list)"
    }
}

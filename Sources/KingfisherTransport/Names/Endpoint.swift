import Foundation

/// A host and port that a connection goes to.
struct Endpoint: Hashable, Sendable {
    let host: String
    let port: Int

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// The server that a URL names, with its scheme's port where it names none.
    init?(_ url: URL) {
        if let plain = Origin.plain(url) {
            self.init(host: plain.host, port: plain.port)
            return
        }
        guard let host = url.host(percentEncoded: false), !host.isEmpty else { return nil }
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        self.init(host: bare, port: url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80))
    }

    /// Whether the host is an address already. A colon can only stand in an IPv6 literal, with a zone
    /// perhaps.
    var isNumeric: Bool {
        var address = in_addr()
        return host.utf8.contains(UInt8(ascii: ":")) || inet_pton(AF_INET, host, &address) == 1
    }

    /// An entry for `CURLOPT_RESOLVE`; the plus sign lets it age like one that libcurl found itself.
    func curlResolveEntry(_ addresses: [IPAddress]) -> String {
        let list = addresses.map { $0.isIPv6 ? "[\($0)]" : "\($0)" }.joined(separator: ",")
        return "+\(host):\(port):\(list)"
    }
}

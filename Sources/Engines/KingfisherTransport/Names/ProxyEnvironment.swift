import Foundation

/// Selects the proxy for a URL from the environment, by libcurl's rules (its manual, "Environment
/// variables").
///
/// The decision is made here and not in libcurl, because the proxy's name must go through our resolver.
struct ProxyEnvironment: Sendable {
    private let variables: [String: String]
    private let exceptions: [String]
    private let isEmpty: Bool

    init(_ environment: [String: String]) {
        variables = environment
        isEmpty = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].allSatisfy {
            environment[$0, default: ""].isEmpty
        }
        exceptions = (environment["no_proxy"] ?? environment["NO_PROXY"] ?? "").lowercased()
            .split { $0 == "," || $0.isWhitespace }.map(String.init)
    }

    /// The proxy for a URL as given in the environment, or `nil` to connect directly.
    ///
    /// `HTTP_PROXY` in capitals is ignored: in a CGI program it contains the client's `Proxy:` header field.
    func proxy(for url: URL) -> String? {
        guard !isEmpty, let endpoint = Endpoint(url), !isException(endpoint.host.lowercased()) else {
            return nil
        }
        let names = url.scheme?.lowercased() == "https" ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        for name in names + ["all_proxy", "ALL_PROXY"] {
            if let value = variables[name], !value.isEmpty { return value }
        }
        return nil
    }

    /// The names to resolve before libcurl connects: the proxy's, and also the server's if an older kind of
    /// SOCKS proxy needs its address.
    static func lookups(for server: Endpoint, proxy: String?) -> [Endpoint] {
        guard let proxy else { return [server] }
        let text = proxy.contains("://") ? proxy : "http://" + proxy
        guard let proxyURL = URL(string: text), let scheme = proxyURL.scheme?.lowercased(),
            let host = Endpoint(proxyURL)?.host
        else { return [] }
        // libcurl's default proxy ports.
        let port = proxyURL.port ?? (scheme == "https" ? 443 : 1080)
        let asked = Endpoint(host: host, port: port)
        return ["socks4", "socks5"].contains(scheme) ? [asked, server] : [asked]
    }

    private func isException(_ host: String) -> Bool {
        exceptions.contains { exception in
            if exception == "*" { return true }
            let domain = exception.hasPrefix(".") ? String(exception.dropFirst()) : exception
            if domain.contains("/") {
                return IPAddress(host).flatMap { IPNetwork(domain)?.contains($0) } ?? false
            }
            let bare =
                domain.hasPrefix("[") && domain.hasSuffix("]")
                ? String(domain.dropFirst().dropLast()) : domain
            return !bare.isEmpty && (host == bare || (IPAddress(host) == nil && host.hasSuffix("." + bare)))
        }
    }
}

import Foundation
import FoundationNetworking

extension URLSessionConfiguration {
    /// The proxies of `connectionProxyDictionary` as environment variables; nil without a dictionary.
    ///
    /// The keys are the values of CFNetwork's `kCFNetworkProxiesHTTPEnable`, `kCFNetworkProxiesHTTPProxy` and
    /// `kCFNetworkProxiesHTTPPort`, and the same for HTTPS and SOCKS. A proxy is used unless its `Enable` key
    /// is 0 or false: bypassing it could reveal the user's address to the server. For the same reason, a
    /// SOCKS proxy resolves the names of servers.
    var proxyEnvironment: [String: String]? {
        guard let entries = connectionProxyDictionary else { return nil }
        var environment: [String: String] = [:]
        for (kind, variable, scheme) in [
            ("HTTP", "http_proxy", "http"), ("HTTPS", "https_proxy", "http"),
            ("SOCKS", "all_proxy", "socks5h"),
        ] {
            // Values may be numbers, Booleans or strings.
            let text = { (key: String) in entries[kind + key].map { "\($0)" } ?? "" }
            let host = text("Proxy")
            guard !host.isEmpty, !["0", "false"].contains(text("Enable")) else { continue }
            let port = text("Port")
            let bracketed = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
            environment[variable] = "\(scheme)://" + bracketed + (port.isEmpty ? "" : ":" + port)
        }
        return environment
    }
}

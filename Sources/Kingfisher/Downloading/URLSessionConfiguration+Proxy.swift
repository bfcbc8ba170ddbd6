import Foundation
import FoundationNetworking

extension URLSessionConfiguration {
    /// The proxies of `connectionProxyDictionary` as environment variables; nil where there is no dictionary.
    ///
    /// The keys are the values of CFNetwork's `kCFNetworkProxiesHTTPEnable`, `kCFNetworkProxiesHTTPProxy` and
    /// `kCFNetworkProxiesHTTPPort`, and the same for HTTPS. A proxy that is named and not switched off is on:
    /// going past it might show the user's address to servers that were not to see it.
    var proxyEnvironment: [String: String]? {
        guard let entries = connectionProxyDictionary else { return nil }
        var environment: [String: String] = [:]
        for scheme in ["HTTP", "HTTPS"] {
            // Numbers, switches and texts come in many types.
            let text = { (key: String) in entries[scheme + key].map { "\($0)" } ?? "" }
            let host = text("Proxy")
            guard !host.isEmpty, !["0", "false"].contains(text("Enable")) else { continue }
            let port = text("Port")
            let bracketed = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
            environment[scheme.lowercased() + "_proxy"] =
                "http://" + bracketed + (port.isEmpty ? "" : ":" + port)
        }
        return environment
    }
}

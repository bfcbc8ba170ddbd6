import Foundation
import FoundationNetworking

/// The command `health`, for containers: whether a server with these settings runs on this machine.
struct HealthCheck {
    private let url: URL?

    /// Asks the listener of operators, or of clients if there is no other with a port.
    init(_ settings: ServerSettings) {
        let listeners = [settings.adminListen, settings.listen].compactMap { $0 }
        url =
            listeners.lazy.compactMap { listener in
                guard case .tcp(let host, let port) = listener, port > 0 else { return nil }
                let local = ["0.0.0.0": "127.0.0.1", "::": "::1"][host] ?? host
                return URL(string: "http://\(local.contains(":") ? "[\(local)]" : local):\(port)/health")
            }.first
    }

    /// Returns 0 if the server responds within 5 seconds, and 1 otherwise.
    func run(printError: (String) -> Void) async -> Int32 {
        guard let url else {
            printError("kingfisher-server: health needs a listener with a port")
            return 1
        }
        let request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 5)
        let response = try? await URLSession.shared.data(for: request).1
        if (response as? HTTPURLResponse)?.statusCode == 200 { return 0 }
        printError("kingfisher-server: no server responds at \(url.absoluteString)")
        return 1
    }
}

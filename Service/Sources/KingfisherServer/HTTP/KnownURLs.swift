import Kingfisher
import KingfisherService

/// Reads URLs, and remembers what recently used ones said: to verify and parse a URL costs more than to find
/// its result in memory.
///
/// Only URLs that are accepted are stored, so with signatures no client can replace the others, and none that
/// expires. Safe from any thread.
struct KnownURLs: Sendable {
    private static let maximumBytes = 4 << 20

    private struct Known: CacheCostCalculable, Sendable {
        let request: ServiceRequest
        let cacheCost: Int
    }

    private let urls: ServiceURLs
    private let known: MemoryStorage.Backend<Known>

    init(_ urls: ServiceURLs) {
        self.urls = urls
        known = MemoryStorage.Backend(config: .init(totalCostLimit: Self.maximumBytes))
    }

    /// The request of a URL, as `ServiceURLs` reads it.
    func request(path: String, query: String?, now: Int) throws(ServiceError) -> ServiceRequest {
        guard query == nil else { return try urls.request(path: path, query: query, now: now) }
        if let known = known.value(forKey: path) { return known.request }
        let request = try urls.request(path: path, now: now)
        if request.options.expires == nil {
            // Measured: about 2,200 bytes with a path of 100 bytes.
            let cost = 1_200 + 10 * path.utf8.count
            known.store(value: Known(request: request, cacheCost: cost), forKey: path)
        }
        return request
    }
}

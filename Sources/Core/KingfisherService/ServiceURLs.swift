/// Reads and signs the URLs of an image service.
public struct ServiceURLs: Sendable {
    private let settings: ServiceSettings

    public init(_ settings: ServiceSettings) { self.settings = settings }

    /// The request of a URL, if its signature is valid and it has not expired.
    ///
    /// `path` is the path as received, not decoded, `query` the text after `?`, and `now` the time in seconds
    /// since 1970.
    public func request(path: String, query: String? = nil, now: Int) throws(ServiceError) -> ServiceRequest {
        throw ServiceError(404, "Not found.")
    }
}

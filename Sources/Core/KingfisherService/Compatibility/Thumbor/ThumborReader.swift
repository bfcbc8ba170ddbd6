/// Reads URLs of thumbor and imagor.
struct ThumborReader {
    private let settings: ServiceSettings

    init(_ settings: ServiceSettings) { self.settings = settings }

    /// The request of a path below the prefix, without the slash after that, as received.
    func request(_ path: Substring, now: Int) throws(ServiceError) -> ServiceRequest {
        throw ServiceError(404, "Not found.")
    }
}

package import FoundationNetworking

/// What makes a request conditional (RFC 9110, 13.1): whether the server has anything but what has these
/// validators.
package struct RequestCondition: Sendable, Hashable {
    let entityTag: String?
    let lastModified: String?
    /// What a response that varies was asked with: who asks with something else gets another answer.
    let accept: String?

    /// The request, asking for what is new only.
    package func added(to request: URLRequest) -> URLRequest {
        var request = request
        // Both where there are both: who understands the tag ignores the date (RFC 9110, 13.1.3).
        if let entityTag { request.setValue(entityTag, forHTTPHeaderField: "If-None-Match") }
        if let lastModified { request.setValue(lastModified, forHTTPHeaderField: "If-Modified-Since") }
        return request
    }
}

extension HTTPFreshness {
    /// Fields that make a condition of the request's own, or ask for a part.
    private static let conditionalFields = [
        "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range", "Range",
    ]

    /// How to ask whether the bytes are still good in answer to `request`; nil where there is nothing to ask
    /// by, the request has a condition of its own, or the bytes would be no answer to it, as none are to
    /// anything but GET.
    package func condition(for request: URLRequest, accept: String?) -> RequestCondition? {
        // Of what depends on something unknown, a date tells nothing: all variants may have the same one.
        guard entityTag != nil || lastModified != nil && variance != .other,
            variance != .accept || accept == self.accept, request.httpMethod ?? "GET" == "GET",
            Self.conditionalFields.allSatisfy({ request.value(forHTTPHeaderField: $0) == nil })
        else { return nil }
        return RequestCondition(
            entityTag: entityTag, lastModified: variance == .other ? nil : lastModified,
            accept: variance == .nothing ? nil : accept)
    }
}

extension HTTPFreshness {
    /// Whether both were said of the same bytes, as far as validators tell.
    package func isOfSameBytes(as other: HTTPFreshness) -> Bool {
        entityTag == other.entityTag && lastModified == other.lastModified && origin == other.origin
    }
}

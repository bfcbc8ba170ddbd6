package import FoundationNetworking

/// The validators that make a request conditional (RFC 9110, 13.1).
package struct RequestCondition: Sendable, Hashable {
    let entityTag: String?
    let lastModified: String?
    /// The `Accept` field that a varying response was requested with. A request with another one gets another
    /// response.
    let accept: String?

    package func added(to request: URLRequest) -> URLRequest {
        var request = request
        // Send both if both are known: a server that supports the tag ignores the date (RFC 9110, 13.1.3).
        if let entityTag { request.setValue(entityTag, forHTTPHeaderField: "If-None-Match") }
        if let lastModified { request.setValue(lastModified, forHTTPHeaderField: "If-Modified-Since") }
        return request
    }
}

extension HTTPFreshness {
    private static let conditionalFields = [
        "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range", "Range",
    ]

    /// The condition for revalidating the stored bytes with `request`. Nil if there is no validator, if the
    /// request is itself conditional, if its method is not GET, or if the bytes are no response to it.
    package func condition(for request: URLRequest, accept: String?) -> RequestCondition? {
        // If the response varies on an unknown field, a date is no validator: all variants may have the same
        // one.
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
    package func isOfSameBytes(as other: HTTPFreshness) -> Bool {
        entityTag == other.entityTag && lastModified == other.lastModified && origin == other.origin
    }

    /// Whether both belong to the same requests, by what they vary on. False if only a field that is not
    /// stored could tell.
    package func isOfSameVariant(as other: HTTPFreshness) -> Bool {
        if variance == .nothing, other.variance == .nothing { return true }
        return isOfSameBytes(as: other) && accept == other.accept && (variance != .other || entityTag != nil)
    }
}

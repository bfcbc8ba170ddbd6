package import Foundation
package import FoundationNetworking

/// The rest of a body whose first bytes are known, as a range request (RFC 9110, 14).
package struct ByteRange: Sendable, Equatable {
    /// The number of known bytes, at least 1 and less than `total`.
    package let start: Int
    /// The length of the whole body.
    package let total: Int
    /// A strong entity tag or a strong date of the known bytes.
    package let validator: String

    package init(from start: Int, of total: Int, validator: String) {
        (self.start, self.total, self.validator) = (start, total, validator)
    }

    /// The request for the rest, from a plain GET.
    package func added(to request: URLRequest) -> URLRequest {
        var request = request
        request.setValue("bytes=\(start)-", forHTTPHeaderField: "Range")
        request.setValue(validator, forHTTPHeaderField: "If-Range")
        return request
    }

    /// How a response continues the body.
    package enum Outcome: Sendable {
        /// The rest follows. The response is that to a request without a range (RFC 9111, 3.4).
        case rest(TransportResponse)
        /// The resource has changed, or the server sends whole bodies only: the body starts over.
        case whole
        /// The server sends neither: the request must be repeated without the range.
        case neither
        /// The resource does not exist any more.
        case gone
        /// Another error or a redirect, which tells nothing about the body.
        case unrelated
    }

    package func outcome(of response: TransportResponse) -> Outcome {
        switch response.status {
        case 200: .whole
        case 206: continues(response) ? .rest(response.whole(total, validator)) : .neither
        case 416: .neither
        case 404, 410: .gone
        default: .unrelated
        }
    }

    private func continues(_ response: TransportResponse) -> Bool {
        // Compared again, because some servers ignore If-Range. A response to it has the tag, but need not
        // have the date (RFC 9110, 15.3.7).
        let isSame =
            validator.isEntityTag
            ? response.value(forField: "ETag") == validator
            : response.value(forField: "Last-Modified") ?? validator == validator
        return isSame && response.hasPlainBody
            && response.value(forField: "Content-Range") == "bytes \(start)-\(total - 1)/\(total)"
    }
}

extension URLRequest {
    private static let rangeFields = [
        "Range", "If-Range", "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since",
    ]

    /// Whether a 200 response to this request has the whole resource.
    package var isPlainGET: Bool {
        httpMethod ?? "GET" == "GET" && httpBody == nil
            && Self.rangeFields.allSatisfy { value(forHTTPHeaderField: $0) == nil }
    }
}

extension TransportResponse {
    /// The validator by which the rest of this response can be requested later; nil if the server does not
    /// support that, or only for a range of encoded bytes.
    ///
    /// - Parameter time: The current time, for two-digit years.
    package func rangeValidator(at time: Date) -> String? {
        guard status == 200, hasPlainBody, announcedBodyBytes ?? 0 > 0,
            value(forField: "Accept-Ranges")?.lowercased() != "none",
            // RFC 9111, 5.2.2.5: no part of it may be stored.
            !CacheDirectives(value(forField: "Cache-Control") ?? "").noStore
        else { return nil }
        if let tag = value(forField: "ETag") {
            let isStrong = tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.utf8.count > 2
            return isStrong && tag.utf8.allSatisfy { (0x21...0x7e).contains($0) } ? tag : nil
        }
        guard let modified = value(forField: "Last-Modified"), let date = value(forField: "Date"),
            let changed = HTTPDate.read(modified, now: time), let sent = HTTPDate.read(date, now: time),
            // Otherwise a second change within the same second would have the same date (RFC 9110, 8.8.2.2).
            sent.timeIntervalSince(changed) >= 1
        else { return nil }
        return modified
    }

    fileprivate var hasPlainBody: Bool {
        value(forField: "Content-Encoding").map { $0.lowercased() == "identity" } ?? true
    }

    /// This partial response as the response with the whole body. It has the validator, which it may have
    /// omitted.
    fileprivate func whole(_ total: Int, _ validator: String) -> TransportResponse {
        var fields = httpURLResponse?.allHeaderFields as? [String: String] ?? [:]
        for name in fields.keys where ["content-range", "content-length"].contains(name.lowercased()) {
            fields[name] = nil
        }
        fields["Content-Length"] = "\(total)"
        let name = validator.isEntityTag ? "ETag" : "Last-Modified"
        if value(forField: name) == nil { fields[name] = validator }
        let made = url.flatMap {
            HTTPURLResponse(url: $0, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields)
        }
        return made.map {
            TransportResponse($0, requestTime: requestTime, responseTime: responseTime)
        } ?? self
    }
}

extension String {
    /// Whether a validator is a strong entity tag; otherwise it is a date.
    package var isEntityTag: Bool { hasPrefix("\"") }
}

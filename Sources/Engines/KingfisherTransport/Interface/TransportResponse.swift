public import Foundation
public import FoundationNetworking
import Synchronization

/// The head of a response: status and header fields.
///
/// Foundation's `HTTPURLResponse` costs more CPU time than the rest of a head and few transfers need it, so
/// it is created on first use. Safe to use from any thread.
public final class TransportResponse: Sendable {
    /// The URL of the response.
    public let url: URL?
    public let status: Int
    /// The announced length of the decoded body in bytes. Nil if it is not known reliably: without
    /// `Content-Length`, or if that counts compressed bytes.
    ///
    /// The value is untrusted: clamp it before reserving memory.
    public let announcedBodyBytes: Int?
    /// When the request was about to be sent, after waiting for a slot, a name lookup and a connection; nil
    /// if the transport does not report it.
    public let requestTime: ContinuousClock.Instant?
    /// When the head was received, even if it is delivered later.
    public let responseTime: ContinuousClock.Instant

    private let version: String?
    /// Nil if it was created from Foundation's type.
    let fields: HeaderFields?
    private let made: Mutex<HTTPURLResponse?>

    /// Creates a response from Foundation's type. By default, it was received now.
    ///
    /// The times determine its age in a cache (RFC 9111, 4.2.3). Without a `requestTime`, the request counts
    /// as sent at the start of the download, so that the age is rather too high than too low.
    public init(
        _ response: HTTPURLResponse, requestTime: ContinuousClock.Instant? = nil,
        responseTime: ContinuousClock.Instant = .now
    ) {
        (self.requestTime, self.responseTime) = (requestTime, responseTime)
        url = response.url
        status = response.statusCode
        announcedBodyBytes = response.announcedBodyBytes
        (version, fields) = (nil, nil)
        made = Mutex(response)
    }

    init(
        url: URL, status: Int, version: String, fields: HeaderFields,
        requestTime: ContinuousClock.Instant?, responseTime: ContinuousClock.Instant
    ) {
        (self.requestTime, self.responseTime) = (requestTime, responseTime)
        self.url = url
        self.status = status
        self.version = version
        self.fields = fields
        announcedBodyBytes = fields.announcedBodyBytes
        made = Mutex(nil)
    }

    /// The value of a field; the name is case-insensitive. Several values of a list are joined by commas; of
    /// a field that is no list, the first value counts.
    public func value(forField name: String) -> String? {
        guard let fields else { return httpURLResponse?.value(forHTTPHeaderField: name) }
        return fields.value(for: name)
    }

    /// The values of `Location` that are not empty, as bytes, because they need not be UTF-8.
    var locations: [[UInt8]] {
        let values = fields?.values(for: "Location") ?? value(forField: "Location").map { [Array($0.utf8)] }
        return (values ?? []).filter { !$0.isEmpty }
    }

    /// Whether the body has a coding that is neither decoded nor refused (``ContentCoding``).
    package var hasUnknownCoding: Bool {
        ContentCoding.list(value(forField: "Content-Encoding") ?? "").contains(.unknown)
    }

    /// The response as Foundation's type; nil if Foundation rejects it, which has not been observed.
    public var httpURLResponse: HTTPURLResponse? {
        made.withLock { made in
            if made == nil, let url, let fields {
                made = HTTPURLResponse(
                    url: url, statusCode: status, httpVersion: version, headerFields: fields.byName)
            }
            return made
        }
    }
}

extension HTTPURLResponse {
    fileprivate var announcedBodyBytes: Int? {
        // The parsed length is free; reading a field copies all of them.
        guard expectedContentLength >= 0, let length = Int(exactly: expectedContentLength) else { return nil }
        if let encoding = value(forHTTPHeaderField: "Content-Encoding"), encoding.lowercased() != "identity" {
            return nil
        }
        return length
    }
}

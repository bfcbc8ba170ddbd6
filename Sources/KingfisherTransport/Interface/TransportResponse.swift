public import Foundation
public import FoundationNetworking
import Synchronization

/// The head of a response: its status, and its fields as far as somebody asks for them.
///
/// Foundation's `HTTPURLResponse` costs more processor time than the rest of a head and is of interest to few
/// transfers, so that it is made when it is first asked for. Safe from any thread.
public final class TransportResponse: Sendable {
    /// Where it came from.
    public let url: URL?
    public let status: Int
    /// The length of the decoded body in bytes as the head announces it; nil where it says nothing reliable:
    /// no `Content-Length`, or one that counts compressed bytes.
    ///
    /// It is the server's word only: clamp it before memory is reserved by it.
    public let announcedBodyBytes: Int?
    /// When its request was about to be sent, after all waiting for a turn, a name or a connection; nil where
    /// the transport does not say.
    public let requestTime: ContinuousClock.Instant?
    /// When its head had come, whenever it is handed on.
    public let responseTime: ContinuousClock.Instant

    private let version: String?
    /// Absent where Foundation's type came first.
    private let fields: HeaderFields?
    private let made: Mutex<HTTPURLResponse?>

    /// Hands up a response that Foundation's type describes already, and that has come now if nothing else is
    /// said.
    ///
    /// Its times make it as old as it is where a cache heeds that (RFC 9111, 4.2.3). Without a `requestTime`
    /// its request counts as sent when the download began, so that it is taken for rather too old than too
    /// young.
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

    /// The value of a field, by its name in whatever case; several values are joined by commas.
    public func value(forField name: String) -> String? {
        guard let fields else { return httpURLResponse?.value(forHTTPHeaderField: name) }
        return fields.value(for: name)
    }

    /// The values of `Set-Cookie`, one for each line: joined by commas, a value with a comma in it would
    /// become a cookie of its own (RFC 9110, 5.3). What Foundation's type has joined is taken apart, as far
    /// as the commas between cookies can be told from others.
    var cookieLines: [String] {
        fields?.values(for: "Set-Cookie")
            ?? value(forField: "Set-Cookie").map { CookieSetting.lines($0).map(String.init) } ?? []
    }

    /// The response as Foundation has it; nil where Foundation does not take it, which has not been seen.
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
        // What Foundation has parsed costs nothing to ask; looking at a field copies all of them.
        guard expectedContentLength >= 0, let length = Int(exactly: expectedContentLength) else { return nil }
        if let encoding = value(forHTTPHeaderField: "Content-Encoding"), encoding.lowercased() != "identity" {
            return nil
        }
        return length
    }
}

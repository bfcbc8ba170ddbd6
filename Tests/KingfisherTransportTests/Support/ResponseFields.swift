import Foundation
import FoundationNetworking
import Testing

@testable import KingfisherTransport

/// Responses made of header fields, with a fixed date.
enum ResponseFields {
    /// Tue, 14 Nov 2023 22:13:20 GMT.
    static let start = Date(timeIntervalSince1970: 1_700_000_000)

    /// A date the given seconds after the start, in HTTP's format.
    static func date(_ seconds: TimeInterval) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: start + seconds)
    }

    static func response(
        _ fields: [String: String], status: Int = 200, url: String = "https://a.example/1"
    ) throws -> TransportResponse {
        let url = try #require(URL(string: url))
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: fields))
        return TransportResponse(response)
    }
}

extension HTTPFreshness {
    /// The freshness of a response that arrives at the start.
    static func of(
        _ fields: [String: String], status: Int = 200, to method: String = "GET", accept: String? = nil,
        delay: TimeInterval = 0
    ) throws -> HTTPFreshness {
        HTTPFreshness(
            try ResponseFields.response(fields, status: status), to: method, accept: accept, delay: delay,
            at: ResponseFields.start)
    }
}

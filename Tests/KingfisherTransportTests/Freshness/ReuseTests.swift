import Foundation
import Testing

@testable import KingfisherTransport

/// The reuse of a stored response: RFC 9111, 4, RFC 5861 and RFC 8246.
@Suite struct ReuseTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let section: String
        let fields: [String: String]
        /// Seconds since the response.
        let after: TimeInterval
        let reuse: HTTPFreshness.Reuse
        var status = 200
        var method = "GET"
        var delay: TimeInterval = 0
        var accept: String?
        var asks: HTTPFreshness.RequestAccept = .known(nil)

        init(
            _ section: String, _ fields: [String: String], after: TimeInterval, _ reuse: HTTPFreshness.Reuse,
            status: Int = 200, method: String = "GET", delay: TimeInterval = 0, accept: String? = nil,
            asks: HTTPFreshness.RequestAccept = .known(nil)
        ) {
            (self.section, self.fields, self.after, self.reuse) = (section, fields, after, reuse)
            (self.status, self.method, self.delay) = (status, method, delay)
            (self.accept, self.asks) = (accept, asks)
        }

        var testDescription: String { "\(section) \(fields) +\(after)" }
    }

    private static func cc(_ text: String, _ more: [String: String] = [:]) -> [String: String] {
        more.merging(["Cache-Control": text]) { $1 }
    }

    private static let (day, date, most) = (86_400.0, ResponseFields.date, 2_147_483_648.0)

    static let lifetimes = [
        Row("9111 4.2", cc("max-age=60"), after: 59, .fresh),
        Row("9111 4.2: stale at the age of its lifetime", cc("max-age=60"), after: 60, .revalidate),
        Row(
            "9111 4.2.1: max-age overrides Expires", cc("max-age=60", ["Expires": date(10)]), after: 59,
            .fresh),
        Row(
            "9111 4.2.1: max-age overrides a later Expires", cc("max-age=60", ["Expires": date(1_000)]),
            after: 61, .revalidate),
        Row(
            "9111 4.2.1: s-maxage is for shared caches", cc("s-maxage=600, max-age=60"), after: 61,
            .revalidate),
        Row("9111 4.2.1: invalid", cc("max-age=soon", ["Expires": date(60)]), after: 0, .revalidate),
        Row("9111 5.2.2.1: 0", cc("max-age=0"), after: 0, .revalidate),
        Row("9111 5.2.2.1: negative", cc("max-age=-1"), after: 0, .revalidate),
        Row("9111 1.2.2: overflow is 2^31", cc("max-age=9999999999999"), after: most - 1, .fresh),
        Row("9111 1.2.2: overflow is 2^31", cc("max-age=9999999999999"), after: most, .revalidate),
        Row("9111 1.2.2: overflow of Age", cc("max-age=60", ["Age": "9999999999999"]), after: 0, .revalidate),
        Row(
            "9111 1.2.2: overflow of Age, delay and max-age",
            cc("max-age=9999999999999", ["Age": "9999999999999"]), after: 0, .revalidate, delay: 1e300),
        Row("9111 4.2.1: the first of several", cc("max-age=10, max-age=60"), after: 10, .revalidate),
        Row("9111 4.2.1: the first of several", cc("max-age=60, max-age=10"), after: 59, .fresh),
        Row(
            "9111 4.2.1: two lines of Expires are invalid", ["Expires": "\(date(60)), \(date(60))"], after: 0,
            .revalidate),
        Row("9111 5.3: Expires - Date", ["Expires": date(160), "Date": date(0)], after: 159, .fresh),
        Row("9111 5.3: Expires - Date", ["Expires": date(160), "Date": date(0)], after: 160, .revalidate),
        Row("9111 5.3: without Date", ["Expires": date(60)], after: 59, .fresh),
        Row(
            "9111 5.3: in the past is stale", ["Expires": date(-1), "Date": date(0)], after: 0, .revalidate),
        Row("9111 5.3: \"-1\" is the past", ["Expires": "-1"], after: 0, .revalidate),
        Row(
            "9111 5.3: \"0\" is the past", ["Expires": "0", "Last-Modified": date(-9 * day)], after: 0,
            .revalidate),
        Row(
            "9111 4.2.3: a server's clock ahead", ["Expires": date(160), "Date": date(100)], after: 59, .fresh
        ),
        Row(
            "9111 4.2.3: a server's clock ahead", ["Expires": date(160), "Date": date(100)], after: 60,
            .revalidate),
        Row("9111 4.2.3: apparent age", cc("max-age=60", ["Date": date(-50)]), after: 9, .fresh),
        Row("9111 4.2.3: apparent age", cc("max-age=60", ["Date": date(-50)]), after: 10, .revalidate),
        Row("9111 4.2.3: Age", cc("max-age=60", ["Age": "50"]), after: 9, .fresh),
        Row("9111 4.2.3: Age", cc("max-age=60", ["Age": "50"]), after: 10, .revalidate),
        Row(
            "9111 4.2.3: the greater of both", cc("max-age=60", ["Age": "20", "Date": date(-50)]), after: 10,
            .revalidate),
        Row(
            "9111 4.2.3: delay adds to Age", cc("max-age=60", ["Age": "50"]), after: 5, .revalidate, delay: 5),
        Row(
            "9111 4.2.3: delay does not add to apparent age", cc("max-age=60", ["Date": date(-50)]), after: 5,
            .fresh,
            delay: 5),
        Row("9111 4.2.3: clock set back", cc("max-age=60"), after: -1_000, .revalidate),
        Row("9111 4.2.3: clock set back slightly", cc("max-age=60"), after: -1, .fresh),
        Row(
            "9111 4.2.3: clock corrected", cc("max-age=60", ["Date": date(-900)]), after: -890, .fresh),
        Row(
            "9111 4.2.3: clock corrected", cc("max-age=60", ["Date": date(-900)]), after: -840,
            .revalidate),
        Row("9111 5.1: the first of a list", cc("max-age=60", ["Age": "50, 1"]), after: 10, .revalidate),
        Row("9111 5.1: not a number", cc("max-age=60", ["Age": "-50"]), after: 59, .fresh),
        Row("9111 4.2.2: no Last-Modified", ["Date": date(0)], after: 0, .revalidate),
        Row("9111 4.2.2: no fields", [:], after: 0, .revalidate),
        Row("9111 4.2.2: a tag gives no lifetime", ["ETag": "\"1\""], after: 0, .revalidate),
        Row("9111 4.2.2: directives without a time", cc("private, immutable"), after: 0, .revalidate),
        Row(
            "9111 4.2.2: public without a time", cc("public", ["Last-Modified": date(-1_000)]), after: 99,
            .fresh),
        Row("9111 5.4: Pragma is ignored", ["Pragma": "no-cache"], after: 0, .revalidate),
        Row(
            "9111 5.4: Pragma is ignored", cc("max-age=60", ["Pragma": "no-cache"]), after: 59, .fresh
        ),
        Row(
            "9111 5.4: Pragma is ignored", ["Pragma": "no-cache", "Last-Modified": date(-1_000)],
            after: 99, .fresh),
        Row("9111 4.2.2: a tenth", ["Last-Modified": date(-1_000)], after: 99, .fresh),
        Row("9111 4.2.2: a tenth", ["Last-Modified": date(-1_000)], after: 100, .revalidate),
        Row(
            "9111 4.2.2: a tenth of Date's", ["Last-Modified": date(-1_000), "Date": date(-500)], after: 0,
            .revalidate),
        Row("9111 4.2.2: at most a day", ["Last-Modified": date(-9_000 * day)], after: day - 1, .fresh),
        Row("9111 4.2.2: at most a day", ["Last-Modified": date(-9_000 * day)], after: day, .revalidate),
        Row("9111 4.2.2: in the future", ["Last-Modified": date(1_000)], after: 0, .revalidate),
        Row("9111 4.2.2: not a date", ["Last-Modified": "lately"], after: 0, .revalidate),
        Row("9111 4.2.2: 203 too", ["Last-Modified": date(-1_000)], after: 99, .fresh, status: 203),
        Row(
            "9111 4.2.2: not every status", ["Last-Modified": date(-1_000)], after: 0, .revalidate,
            status: 302),
        Row("9111 4.2.1: explicit lifetime", cc("max-age=60"), after: 59, .fresh, status: 302),
        Row("8246: immutable within its lifetime", cc("max-age=60, immutable"), after: 59, .fresh),
        Row("9111 4.2.1: explicit lifetime of an error", cc("max-age=60"), after: 59, .fresh, status: 404),
        Row(
            "9111 4.2.2: no heuristic for errors", ["Last-Modified": date(-1_000)], after: 0, .revalidate,
            status: 404),
        Row("8246: immutable beyond its lifetime", cc("max-age=60, immutable"), after: 60, .revalidate),
    ]

    static let directives = [
        Row("9111 5.2.2.5", cc("no-store, max-age=60"), after: 0, .unusable),
        Row("9111 3.3: partial content", cc("max-age=60"), after: 0, .unusable, status: 206),
        Row(
            "9111 3.3: partial content without directives", ["ETag": "\"1\""], after: 0, .unusable,
            status: 206),
        Row("9111 3, 4: response to POST", cc("max-age=60"), after: 0, .unusable, method: "POST"),
        Row("9111 3, 4: response to PUT without directives", [:], after: 0, .unusable, method: "PUT"),
        Row("9111 5.2.2.3", cc("must-understand, no-store, max-age=60"), after: 0, .unusable),
        Row("9111 5.2.2.2: without a time", cc("must-revalidate"), after: 0, .revalidate),
        Row(
            "9111 5.2.2.8: for shared caches", cc("proxy-revalidate, stale-while-revalidate=9"), after: 1,
            .staleWhileRevalidate),
        Row("9111 5.2.2.4", cc("no-cache, max-age=60"), after: 0, .revalidate),
        Row("9111 5.2.2.4", cc("no-cache, stale-while-revalidate=60"), after: 1, .revalidate),
        Row("9111 5.2.2.2: fresh", cc("must-revalidate, max-age=60"), after: 59, .fresh),
        Row(
            "9111 4.2.4", cc("must-revalidate, max-age=60, stale-while-revalidate=60"), after: 61, .revalidate
        ),
        Row("9111 5.2.2.7: private allows a private cache", cc("private, max-age=60"), after: 59, .fresh),
        Row("5861 3", cc("max-age=60, stale-while-revalidate=30"), after: 59, .fresh),
        Row("5861 3", cc("max-age=60, stale-while-revalidate=30"), after: 60, .staleWhileRevalidate),
        Row("5861 3", cc("max-age=60, stale-while-revalidate=30"), after: 89, .staleWhileRevalidate),
        Row("5861 3", cc("max-age=60, stale-while-revalidate=30"), after: 90, .revalidate),
        Row(
            "5861 3: from the end of Expires", cc("stale-while-revalidate=30", ["Expires": date(60)]),
            after: 61, .staleWhileRevalidate),
        Row("5861 4: errors only", cc("max-age=60, stale-if-error=30"), after: 61, .revalidate),
    ]

    private static let vary = cc("max-age=60", ["Vary": "Accept"])

    static let variances = [
        Row("9111 4.1", vary, after: 1, .fresh, accept: "image/webp", asks: .known("image/webp")),
        Row("9111 4.1", vary, after: 1, .fresh),
        Row("9111 4.1", vary, after: 1, .unusable, accept: "image/webp", asks: .known("image/png")),
        Row("9111 4.1", vary, after: 1, .unusable, accept: "image/webp"),
        Row("9111 4.1", vary, after: 1, .unusable, asks: .known("image/png")),
        Row("9111 4.1: Accept is not known yet", vary, after: 1, .revalidate, asks: .unknown),
        Row("9111 4.1: no Vary", cc("max-age=60"), after: 1, .fresh, accept: "a", asks: .known("b")),
        Row(
            "9111 4.1: a long Accept is not stored", vary, after: 1, .revalidate,
            accept: String(repeating: "a", count: 600)),
        Row("9111 4.1: a non-ASCII Accept is not stored", vary, after: 1, .revalidate, accept: "é"),
        Row("9111 4.1: *", cc("max-age=60", ["Vary": "*"]), after: 1, .revalidate),
        Row("9111 4.1: other fields", cc("max-age=60", ["Vary": "Accept, Cookie"]), after: 1, .revalidate),
        Row(
            "9111 4.1: the transport decodes Accept-Encoding", cc("max-age=60", ["Vary": "accept-encoding"]),
            after: 1,
            .fresh),
        Row(
            "9111 4.1: names in any case", cc("max-age=60", ["Vary": "ACCEPT ,Accept-Encoding"]), after: 1,
            .fresh,
            accept: "a", asks: .known("a")),
    ]

    @Test(
        "Stored responses are fresh, stale or unusable (RFC 9111, 4.2)",
        arguments: lifetimes + directives + variances)
    func reuseOfAResponse(row: Row) throws {
        let freshness = try HTTPFreshness.of(
            row.fields, status: row.status, to: row.method, accept: row.accept, delay: row.delay)
        #expect(freshness.reuse(for: row.asks, at: ResponseFields.start + row.after) == row.reuse)
        // The stored record gives the same result.
        let read = try #require(HTTPFreshness(freshness.encoded))
        #expect(read.reuse(for: row.asks, at: ResponseFields.start + row.after) == row.reuse)
    }

    @Test(
        "A stale image is used after some failures (RFC 9111, 4.2.4, and RFC 5861, 4)",
        arguments: [
            ("max-age=1", 100.0, HTTPFreshness.Failure.disconnected, true),
            ("max-age=1", 100, .serverError, false),
            ("max-age=1", 100, .other, false), ("max-age=1, stale-if-error=100", 100, .serverError, true),
            ("max-age=1, stale-if-error=100", 101, .serverError, false),
            ("max-age=1, stale-if-error=100", 101, .disconnected, true),
            ("max-age=1, stale-if-error=100", 50, .other, false),
            ("no-cache, stale-if-error=100", 1, .disconnected, false),
            ("must-revalidate, stale-if-error=100", 1, .serverError, false),
            ("must-revalidate, max-age=1", 2, .disconnected, false), ("no-store", 1, .disconnected, false),
        ])
    func staleAfterFailures(
        field: String, after: TimeInterval, failure: HTTPFreshness.Failure, isAllowed: Bool
    ) throws {
        let freshness = try HTTPFreshness.of(["Cache-Control": field])
        #expect(
            freshness.allowsStale(for: .unknown, after: failure, at: ResponseFields.start + after)
                == isAllowed)
    }

    @Test(
        "A response that may belong to another request is not used after failures (RFC 9111, 4.1)",
        arguments: [
            ("Accept", .known("a"), true), ("Accept", .known("b"), false), ("Accept", .known(nil), false),
            ("Accept", .unknown, false), ("Cookie", .known("a"), false), ("*", .known("a"), false),
            ("Accept-Encoding", .known("b"), true),
        ] as [(String, HTTPFreshness.RequestAccept, Bool)])
    func failuresOfVariants(vary: String, asks: HTTPFreshness.RequestAccept, isAllowed: Bool) throws {
        let freshness = try HTTPFreshness.of(
            ["Cache-Control": "max-age=1, stale-if-error=100", "Vary": vary], accept: "a")
        for failure in [HTTPFreshness.Failure.disconnected, .serverError] {
            #expect(
                freshness.allowsStale(for: asks, after: failure, at: ResponseFields.start + 2) == isAllowed)
        }
    }

    @Test("Failures are classified as disconnected, server error or other")
    func failureKinds() {
        let disconnected: [TransportError] = [
            .timedOut(.connect), .timedOut(.idle), .constrained, .resolve(""), .connect(""), .tls(""),
            .untrustedCertificate(.selfSigned, ""), .connectionLost(""), .truncated(""), .io(""),
            .foreign(ForeignError(URLError(.notConnectedToInternet))),
        ]
        for error in disconnected { #expect(HTTPFreshness.Failure(error) == .disconnected, "\(error)") }
        for error in [TransportError.malformed(""), .undecodable(""), .bodyTooLarge(limit: 1)] {
            #expect(HTTPFreshness.Failure(error) == .serverError, "\(error)")
        }
        let others: [TransportError] = [
            .cancelled, .invalidRequest(""), .addressRefused(""), .tooManyRedirects(limit: 1),
            .redirectRefused(""),
            .foreign(ForeignError(URLError(.cancelled))), .foreign(ForeignError(CancellationError())),
        ]
        for error in others { #expect(HTTPFreshness.Failure(error) == .other, "\(error)") }
        #expect([500, 502, 503, 504].allSatisfy { HTTPFreshness.Failure(status: $0) == .serverError })
        #expect([400, 401, 404, 410, 429, 501].allSatisfy { HTTPFreshness.Failure(status: $0) == .other })
    }
}

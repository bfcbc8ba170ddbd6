import Foundation
import Testing

@testable import KingfisherTransport

/// The freshness of a response behind redirects: RFC 9110, 15.4, and RFC 9111, 4.2.
@Suite struct RedirectFreshnessTests {
    private static func cc(_ text: String) -> [String: String] { ["Cache-Control": text] }

    @Test(
        "The shortest lifetime of a redirect chain counts",
        arguments: [
            ([], 50),
            ([(302, [:])], 0), ([(303, [:])], 0), ([(307, [:])], 0), ([(301, [:])], 50), ([(308, [:])], 50),
            ([(302, cc("max-age=20"))], 20), ([(302, cc("max-age=90"))], 50), ([(301, cc("max-age=20"))], 20),
            ([(302, cc("max-age=20").merging(["Age": "5"]) { $1 })], 15),
            ([(302, ["Expires": ResponseFields.date(20)])], 20), ([(308, ["Expires": "0"])], 0),
            ([(302, ["Last-Modified": ResponseFields.date(-9_000)])], 0),
            ([(301, cc("no-cache"))], 0), ([(301, cc("no-store, max-age=20"))], 0),
            ([(301, ["Vary": "Cookie"])], 0),
            ([(302, cc("max-age=20").merging(["Vary": "Accept"]) { $1 })], 0),
            ([(301, [:]), (302, cc("max-age=30")), (307, cc("max-age=20"))], 20),
            ([(301, [:]), (302, [:]), (302, cc("max-age=20"))], 0),
        ] as [([(Int, [String: String])], TimeInterval)])
    func shortestLifetime(redirects: [(Int, [String: String])], seconds: TimeInterval) throws {
        let start = ResponseFields.start
        let freshness = try HTTPFreshness.of(["Cache-Control": "max-age=60", "Age": "10"]).limited(
            by: redirects.map { try .of($0.1, status: $0.0) })
        if seconds > 0 { #expect(freshness.reuse(for: .known(nil), at: start + seconds - 1) == .fresh) }
        #expect(freshness.reuse(for: .known(nil), at: start + seconds) == .revalidate)
    }

    @Test("Redirects limit heuristic and Expires lifetimes, and do not change stale or unstorable responses")
    func otherLifetimes() throws {
        let redirects = [try HTTPFreshness.Redirect.of(["Cache-Control": "max-age=20"], status: 302)]
        for fields in [
            ["Expires": ResponseFields.date(60)], ["Last-Modified": ResponseFields.date(-1_000)],
        ] {
            let freshness = try HTTPFreshness.of(fields)
            #expect(freshness.lifetime > 20)
            #expect(freshness.limited(by: redirects).lifetime == 20)
        }
        for field in ["max-age=10", "no-store", "no-cache", "max-age=0"] {
            let freshness = try HTTPFreshness.of(["Cache-Control": field])
            #expect(freshness.limited(by: redirects) == freshness)
        }
    }

    private struct Row: Sendable {
        var redirects: [(status: Int, cacheControl: String?)]
        var target = "max-age=31536000"
        /// Both windows in seconds, or nil without a window.
        let window: ClosedRange<TimeInterval>?
        var isShownOffline = true
    }

    private static let rows = [
        // A window needs a directive (RFC 5861).
        Row(redirects: [(302, nil)], window: nil),
        Row(redirects: [(302, "max-age=20")], window: nil),
        Row(redirects: [(302, "no-cache")], window: nil, isShownOffline: false),
        Row(redirects: [(302, "no-store")], window: nil, isShownOffline: false),
        Row(redirects: [(301, "no-cache")], window: nil, isShownOffline: false),
        Row(redirects: [(302, "max-age=20, no-cache, W=30")], window: nil, isShownOffline: false),
        Row(redirects: [(302, "max-age=20, must-revalidate, W=30")], window: nil, isShownOffline: false),
        Row(redirects: [(302, "max-age=20, W=30")], window: 20...49),
        Row(redirects: [(302, "max-age=20, W=30"), (302, "max-age=40, W=5")], window: 20...44),
        Row(redirects: [(302, "max-age=20, W=30"), (302, nil)], window: nil),
        Row(redirects: [(302, "max-age=20, W=30"), (301, nil)], window: 20...49),
        // A response that is fresh itself need not allow a window.
        Row(redirects: [(302, "max-age=900")], target: "max-age=60", window: 50...79),
        Row(redirects: [(302, "max-age=60")], target: "max-age=60", window: 50...59),
        Row(redirects: [(301, nil)], target: "max-age=60", window: 50...79),
        // A response that was stale on arrival also has a window.
        Row(redirects: [(301, nil)], target: "max-age=5", window: 0...24),
        Row(redirects: [(302, nil)], target: "max-age=5", window: nil),
    ]

    @Test("A stale image is used if each stale redirect allows it (RFC 5861)", arguments: rows)
    private func staleWindows(row: Row) throws {
        func fields(_ text: String?) -> [String: String] {
            guard let text else { return [:] }
            let seconds = text.split(separator: "W=").dropFirst().first ?? ""
            let windows = "stale-while-revalidate=\(seconds), stale-if-error=\(seconds)"
            return Self.cc(text.replacing("W=\(seconds)", with: windows))
        }
        let start = ResponseFields.start
        let freshness = try HTTPFreshness.of(
            fields(row.target + ", W=30").merging(["Age": "10"]) { $1 }
        ).limited(by: row.redirects.map { try .of(fields($0.cacheControl), status: $0.status) })
        let read = try #require(HTTPFreshness(freshness.encoded))
        for second in [0, 1, 19, 20, 21, 24, 25, 44, 45, 49, 50, 59, 60, 79, 80, 100, 3_600] as [TimeInterval]
        {
            let isWithin = row.window?.contains(second) == true
            for freshness in [freshness, read] {
                let reuse = freshness.reuse(for: .known(nil), at: start + second)
                #expect((reuse == .staleWhileRevalidate) == isWithin, "\(second): \(reuse)")
                guard reuse != .fresh else { continue }
                let isAllowed = { (failure: HTTPFreshness.Failure) in
                    freshness.allowsStale(for: .unknown, after: failure, at: start + second)
                }
                #expect(isAllowed(.serverError) == isWithin, "\(second)")
                #expect(isAllowed(.disconnected) == row.isShownOffline)
            }
        }
    }

    @Test("A redirect with Vary does not allow a stale response, even offline (RFC 9111, 4.1)")
    func varyingRedirect() throws {
        let freshness = try HTTPFreshness.of(Self.cc("max-age=60")).limited(
            by: [.of(Self.cc("max-age=60").merging(["Vary": "Cookie"]) { $1 }, status: 302)])
        #expect(!freshness.allowsStale(for: .unknown, after: .disconnected, at: ResponseFields.start + 1))
    }

    @Test(
        "The age of a redirect includes its request's delay (RFC 9111, 4.2.3)",
        arguments: [(0, 0, 100), (30, 0, 70), (0, 20, 80), (30, 20, 50), (200, 0, 0)]
            as [(
                TimeInterval, TimeInterval, TimeInterval
            )])
    func ageOfARedirect(before: TimeInterval, delay: TimeInterval, seconds: TimeInterval) throws {
        let start = ResponseFields.start
        let redirect = HTTPFreshness.Redirect(
            try ResponseFields.response(Self.cc("max-age=100"), status: 302), delay: delay, at: start - before
        )
        let freshness = try HTTPFreshness.of(Self.cc("max-age=500")).limited(by: [redirect])
        #expect(freshness.lifetime == seconds)
    }

    @Test("A 304 without Cache-Control is limited by its own redirects, not by earlier ones")
    func confirmedAfterRedirects() throws {
        let start = ResponseFields.start
        let own = try HTTPFreshness.of(["Cache-Control": "max-age=500, stale-if-error=9", "ETag": "\"1\""])
        let limited = own.limited(by: [try .of(Self.cc("no-cache"), status: 302)])
        #expect(limited.directives != own.directives && limited.ownDirectives == own.directives)
        let renewed = try #require(
            limited.confirmed(
                by: ResponseFields.response([:], status: 304), accept: nil, delay: 0, at: start))
        #expect(renewed == own)
        #expect(renewed.limited(by: [try .of(Self.cc("max-age=20"), status: 302)]).lifetime == 20)
        let explicit = try #require(
            limited.confirmed(
                by: ResponseFields.response(Self.cc("max-age=7"), status: 304), accept: nil, delay: 0,
                at: start))
        #expect(explicit.lifetime == 7 && explicit.ownDirectives == nil)
    }
}

extension HTTPFreshness.Redirect {
    /// A redirect that arrives at the start.
    fileprivate static func of(_ fields: [String: String], status: Int) throws -> Self {
        Self(try ResponseFields.response(fields, status: status), delay: 0, at: ResponseFields.start)
    }
}

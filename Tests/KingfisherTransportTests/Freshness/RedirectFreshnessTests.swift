import Foundation
import Testing

@testable import KingfisherTransport

/// How long bytes are fresh to which a redirect has led: RFC 9110, 15.4, and RFC 9111, 4.2.
@Suite struct RedirectFreshnessTests {
    private static func cc(_ text: String) -> [String: String] { ["Cache-Control": text] }

    @Test(
        "The shortest lifetime of all counts",
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
    func shortest(redirects: [(Int, [String: String])], seconds: TimeInterval) throws {
        let start = ResponseFields.start
        let freshness = try HTTPFreshness.of(["Cache-Control": "max-age=60", "Age": "10"]).limited(
            by: redirects.map { try ResponseFields.response($0.1, status: $0.0) })
        if seconds > 0 { #expect(freshness.reuse(for: .known(nil), at: start + seconds - 1) == .fresh) }
        #expect(freshness.reuse(for: .known(nil), at: start + seconds) == .revalidate)
    }

    @Test("What is guessed or expires is limited, too; what is stale, or not to be kept, stays so")
    func others() throws {
        let redirects = [try ResponseFields.response(["Cache-Control": "max-age=20"], status: 302)]
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
}

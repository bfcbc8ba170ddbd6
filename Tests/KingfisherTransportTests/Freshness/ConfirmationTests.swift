import Foundation
import FoundationNetworking
import Testing

@testable import KingfisherTransport

/// Conditional requests and their responses: RFC 9110, 13.1, and RFC 9111, 4.3.
@Suite struct ConfirmationTests {
    private let url = URL(string: "https://a.example/1") ?? URL(filePath: "/")
    private let date = ResponseFields.date

    @Test("Both validators are sent unchanged (RFC 9111, 4.3.1)")
    func validators() throws {
        let modified = date(-100)
        let rows: [([String: String], String?, String?)] = [
            (["ETag": "\"a\"", "Last-Modified": modified], "\"a\"", modified),
            (["ETag": "W/\"b\""], "W/\"b\"", nil),
            (["ETag": "unquoted"], "unquoted", nil), (["Last-Modified": modified], nil, modified),
        ]
        for (fields, tag, since) in rows {
            let condition = try #require(
                try HTTPFreshness.of(fields).condition(for: URLRequest(url: url), accept: nil))
            let sent = condition.added(to: URLRequest(url: url))
            #expect(sent.value(forHTTPHeaderField: "If-None-Match") == tag)
            #expect(sent.value(forHTTPHeaderField: "If-Modified-Since") == since)
        }
    }

    @Test("Without a valid validator there is no condition")
    func noValidators() throws {
        let rows: [[String: String]] = [
            [:], ["ETag": ""], ["ETag": "\"a\", \"b\""], ["ETag": "\"é\""], ["Last-Modified": "lately"],
            ["ETag": "\"" + String(repeating: "a", count: 1_023) + "\""],
        ]
        for fields in rows {
            #expect(try HTTPFreshness.of(fields).condition(for: URLRequest(url: url), accept: nil) == nil)
        }
        let longest = "\"" + String(repeating: "a", count: 1_022) + "\""
        #expect(try HTTPFreshness.of(["ETag": longest]).entityTag == longest)
    }

    @Test("A request with its own condition or range gets no other")
    func ownCondition() throws {
        let freshness = try HTTPFreshness.of(["ETag": "\"a\""])
        for field in ["If-None-Match", "if-modified-since", "If-Match", "If-Range", "Range"] {
            var request = URLRequest(url: url)
            request.setValue("x", forHTTPHeaderField: field)
            #expect(freshness.condition(for: request, accept: nil) == nil, "\(field)")
        }
    }

    @Test("A method other than GET gets no condition, as that would lead to 412 (RFC 9110, 13.1.2)")
    func otherMethods() throws {
        let freshness = try HTTPFreshness.of(["ETag": "\"a\"", "Last-Modified": date(-100)])
        for method in ["GET", "POST", "HEAD", "PUT"] {
            var request = URLRequest(url: url)
            request.httpMethod = method
            #expect((freshness.condition(for: request, accept: nil) != nil) == (method == "GET"), "\(method)")
        }
    }

    @Test("A response that varies on Accept is revalidated only with the same Accept (RFC 9111, 4.1)")
    func varyingOnAccept() throws {
        let freshness = try HTTPFreshness.of(["ETag": "\"a\"", "Vary": "Accept"], accept: "image/webp")
        let request = URLRequest(url: url)
        #expect(freshness.condition(for: request, accept: "image/webp") != nil)
        #expect(freshness.condition(for: request, accept: "image/png") == nil)
        #expect(freshness.condition(for: request, accept: nil) == nil)
        // Equal tags of two variants are two conditions.
        let other = try HTTPFreshness.of(["ETag": "\"a\"", "Vary": "Accept"], accept: "image/png")
        #expect(
            freshness.condition(for: request, accept: "image/webp")
                != other.condition(for: request, accept: "image/png"))
    }

    @Test("A response that varies on an unstored field is revalidated only by its tag (RFC 9111, 4.1)")
    func varyingOnOtherFields() throws {
        let request = URLRequest(url: url)
        let fields = ["Last-Modified": date(-100), "Vary": "Cookie"]
        #expect(try HTTPFreshness.of(fields).condition(for: request, accept: nil) == nil)
        let tagged = try HTTPFreshness.of(fields.merging(["ETag": "\"a\""]) { $1 })
        let condition = try #require(tagged.condition(for: request, accept: nil))
        #expect(condition.entityTag == "\"a\"" && condition.lastModified == nil)
    }

    @Test("Fields of a 304 replace the stored ones; the others stay (RFC 9111, 4.3.4)")
    func updateBy304() throws {
        let old = try HTTPFreshness.of([
            "Cache-Control": "max-age=60, stale-if-error=9", "ETag": "\"a\"", "Last-Modified": date(-500),
            "Age": "30", "Date": date(-30),
        ])
        let later = ResponseFields.start + 100
        #expect(old.reuse(for: .known(nil), at: later) == .revalidate)
        let plain = try #require(
            old.confirmed(by: ResponseFields.response([:], status: 304), accept: nil, delay: 0, at: later))
        #expect(plain.directives == old.directives && plain.isOfSameBytes(as: old))
        #expect(plain.currentAge(at: later) == 0)
        #expect(plain.reuse(for: .known(nil), at: later + 59) == .fresh)
        #expect(plain.reuse(for: .known(nil), at: later + 60) == .revalidate)
        let changed = try #require(
            old.confirmed(
                by: ResponseFields.response(
                    ["Cache-Control": "max-age=10", "ETag": "W/\"a\"", "Age": "4", "Date": date(100)],
                    status: 304),
                accept: nil, delay: 1, at: later))
        #expect(changed.directives.maxAge == 10 && changed.directives.staleIfError == nil)
        #expect(changed.entityTag == "W/\"a\"" && changed.lastModified == old.lastModified)
        #expect(changed.currentAge(at: later) == 5)
        let forbidden = old.confirmed(
            by: try ResponseFields.response(["Cache-Control": "no-store"], status: 304), accept: nil,
            delay: 0,
            at: later)
        #expect(forbidden?.isStorable == false)
    }

    @Test(
        "A 304 with the tag of other bytes confirms nothing (RFC 9111, 4.3.4)",
        arguments: [
            ("\"a\"", "\"a\"", true), ("\"a\"", "\"b\"", false), ("\"a\"", "W/\"a\"", true),
            ("W/\"a\"", "\"a\"", true), ("W/\"a\"", "W/\"b\"", false), ("\"a\"", nil, true),
            (nil, "\"b\"", false), (nil, "W/\"b\"", true), (nil, "\"a b\"", true),
        ] as [(String?, String?, Bool)])
    func tagOf304(old: String?, new: String?, isConfirmed: Bool) throws {
        func fields(_ tag: String?) -> [String: String] {
            ["Last-Modified": date(-500)].merging(tag.map { ["ETag": $0] } ?? [:]) { $1 }
        }
        let confirmed = try HTTPFreshness.of(fields(old)).confirmed(
            by: ResponseFields.response(fields(new), status: 304), accept: nil, delay: 0,
            at: ResponseFields.start)
        #expect((confirmed != nil) == isConfirmed)
    }

    @Test("A 304 from another URL confirms nothing")
    func responseOfAnotherURL() throws {
        let old = try HTTPFreshness.of(["ETag": "\"a\""])
        let response = try ResponseFields.response([:], status: 304, url: "https://a.example/2")
        #expect(old.confirmed(by: response, accept: nil, delay: 0, at: ResponseFields.start) == nil)
    }

    @Test(
        arguments: [
            ("https://a.example/1?s=2", "k", "k", true), ("https://a.example/1?s=2#f", "k", "k", true),
            ("https://a.example/1?s=2", "k", "l", false), ("https://a.example/1?s=2", "k", nil, false),
            ("https://a.example/1?s=2", nil, "k", false), ("https://a.example/1?s=1", nil, "k", true),
            ("https://a.example/2?s=1", "k", "k", false), ("https://b.example/1?s=1", "k", "k", false),
            ("https://a.example:8443/1", "k", "k", false), ("http://a.example/1", "k", "k", false),
        ] as [(String, String?, String?, Bool)])
    func `A 304 from another URL confirms bytes with the same key and the same URL before the query`(
        url: String, oldKey: String?, newKey: String?, isConfirmed: Bool
    ) throws {
        let old = HTTPFreshness(
            try ResponseFields.response(["ETag": "\"a\""], url: "https://a.example/1?s=1"), accept: nil,
            delay: 0, at: ResponseFields.start, resourceKey: oldKey)
        let confirmed = old.confirmed(
            by: try ResponseFields.response([:], status: 304, url: url), accept: nil, delay: 0,
            at: ResponseFields.start, resourceKey: newKey)
        #expect((confirmed != nil) == isConfirmed)
    }
}

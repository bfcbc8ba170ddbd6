import Foundation
import Testing

@testable import KingfisherService

/// Which origins may be fetched, at first and at redirects.
struct AllowListTests {
    static let allowed = [
        "https://e.com/photos/", "https://*.example.com/", "https://cdn.org/a", "http://e.org:8080",
        "https://[::1]/",
        "HTTPS://UPPER.com:443/B c/",
    ]
    static let accepted = [
        "https://e.com/photos/", "https://e.com/photos/a.jpg", "https://E.COM:443/photos/a/b?x=1",
        "HTTPS://e.com/photos/a",
        "https://a.example.com/x", "https://a.b.example.com/", "https://cdn.org/a", "https://cdn.org/a/b",
        "https://cdn.org/a?x", "http://e.org:8080/anything", "https://[0:0::1]/a", "https://upper.com/B c/d",
        "https://upper.com/B%20c/d", "https://e.com/photos/@evil.org/",
    ]
    static let refused = [
        "https://e.com/", "https://e.com/photos", "https://e.com/photosx", "https://e.com/photosx/a",
        "https://e.com/Photos/a",
        "http://e.com/photos/a", "https://e.com:8443/photos/a", "https://e.com.evil.org/photos/a",
        "https://evil.org/https://e.com/photos/", "https://evil.org/?https://e.com/photos/",
        "https://evil.org/e.com/photos/",
        "https://e.org/photos/a", "https://xe.com/photos/a", "https://sub.e.com/photos/a",
        "https://example.com/",
        "https://xexample.com/", "https://a.example.com.evil.org/", "https://a.example.com:8443/",
        "http://a.example.com/",
        "https://cdn.org/", "https://cdn.org/ab", "https://cdn.org/A", "http://e.org/", "http://e.org:80/",
        "https://e.org:8080/", "https://[::2]/", "https://upper.com/b c/d", "https://e.com/a?/photos/",
        "https://e.com?/photos/",
        "https://e.com//photos/a", "https://e.com/%70hotos/a", "https://e.com/photos%2Fa",
    ]
    /// Malformed as sources, and refused as redirects.
    static let malformed = [
        "https://e.com@evil.org/photos/", "https://e.com/photos/../x", "https://e.com/photos/%2e%2e/x",
        "https://e.com/photos/..%2fx", "https://user@e.com/photos/a", "https://e.com./photos/a",
        "https://e.com:/photos/a",
        "https://.example.com/", "https://e.com/photos/..;/x", "ftp://e.com/photos/a", "file:///photos/a",
    ]

    static var rules: ServiceSourceRules {
        var rules = ServiceSourceRules()
        rules.allowed = allowed
        return rules
    }

    @Test(arguments: accepted)
    func `A source of the list is allowed, also at a redirect`(_ text: String) throws {
        let source = try Self.rules.source(named: text)
        guard case .http(let url) = source else { throw ServiceError(400, "\(source)") }
        #expect(Self.rules.allows(url))
        if let raw = URL(string: text) { #expect(Self.rules.allows(raw)) }
    }

    @Test(arguments: refused)
    func `Another source is 403, and refused at a redirect`(_ text: String) throws {
        #expect(throws: ServiceError.sourceNotAllowed) { try Self.rules.source(named: text) }
        #expect(throws: Never.self) { try ServiceSourceRules().source(named: text) }
        if let url = URL(string: text) { #expect(!Self.rules.allows(url)) }
    }

    @Test(arguments: malformed)
    func `A malformed source is 400, and refused at a redirect`(_ text: String) throws {
        let error = try #require(throws: ServiceError.self) { try Self.rules.source(named: text) }
        #expect(error.status == 400)
        for rules in [Self.rules, ServiceSourceRules()] {
            if let url = URL(string: text) { #expect(!rules.allows(url)) }
        }
    }

    @Test(arguments: [
        ("https://e.com/a.jpg", true), ("http://E.com:81/a?x#y", true), ("https://[::1]/", true),
        ("s3://photos/a", false),
        ("local:///a", false), ("file:///a", false), ("a.jpg", false), ("//e.com/a", false),
        ("data:,a", false),
        ("https:a", false), ("https://u:p@e.com/", false), ("https://2130706433/", false),
    ])
    func `Without a list every server is allowed, and nothing else`(_ text: String, isAllowed: Bool) throws {
        var rules = SourceSpellingTests.rules
        rules.base = "https://e.com/"
        #expect(rules.allows(try #require(URL(string: text))) == isAllowed)
    }

    @Test func `An empty list and a malformed entry allow nothing`() {
        for allowed in [[], ["e.com"], ["https://*/"], ["*"], [""]] {
            var rules = ServiceSourceRules()
            rules.allowed = allowed
            #expect(throws: ServiceError.sourceNotAllowed) { try rules.source(named: "https://e.com/") }
        }
    }
}

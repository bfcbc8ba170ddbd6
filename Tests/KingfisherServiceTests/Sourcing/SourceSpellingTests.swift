import Foundation
import Testing

@testable import KingfisherService

/// Spellings of sources: what is fetched, or the status. The texts are percent-decoded once.
struct SourceSpellingTests {
    static var rules: ServiceSourceRules {
        var rules = ServiceSourceRules()
        rules.allowsFolder = true
        rules.buckets = ["photos", "my.bucket-1"]
        return rules
    }

    static let paths = [
        ("https://e.com/a.jpg", "https://e.com/a.jpg"), ("http://e.com/a.jpg", "http://e.com/a.jpg"),
        ("HTTPS://E.COM/A.JPG", "https://e.com/A.JPG"), ("https://e.com", "https://e.com/"),
        ("https://e.com/", "https://e.com/"), ("https://e.com?x=1", "https://e.com/?x=1"),
        ("https://e.com/a?", "https://e.com/a?"), ("https://e.com/a#part", "https://e.com/a"),
        ("https://e.com/a?x#part?y", "https://e.com/a?x"), ("https://e.com#a", "https://e.com/"),
        ("https://e.com/a b.jpg", "https://e.com/a%20b.jpg"),
        ("https://e.com/a%20b.jpg", "https://e.com/a%20b.jpg"),
        ("https://e.com/a%2520b", "https://e.com/a%2520b"),
        ("https://e.com/100%.jpg", "https://e.com/100%25.jpg"),
        ("https://e.com/100%", "https://e.com/100%25"), ("https://e.com/100%2", "https://e.com/100%252"),
        ("https://e.com/%zz%4", "https://e.com/%25zz%254"), ("https://e.com/a+b", "https://e.com/a+b"),
        ("https://e.com/中.jpg", "https://e.com/%E4%B8%AD.jpg"),
        ("https://e.com/%e4%B8%aD", "https://e.com/%e4%B8%aD"),
        ("https://e.com/a\"<>[]^`{|}b", "https://e.com/a%22%3C%3E%5B%5D%5E%60%7B%7C%7Db"),
        ("https://e.com/-._~!$&'()*+,;=:@", "https://e.com/-._~!$&'()*+,;=:@"),
        ("https://e.com/a?b=/?:@&c=[é] %", "https://e.com/a?b=/?:@&c=%5B%C3%A9%5D%20%25"),
        ("https://e.com//a//b/", "https://e.com//a//b/"), ("https://e.com/@user/a", "https://e.com/@user/a"),
        ("https://e.com/http://other.com/a", "https://e.com/http://other.com/a"),
        ("https://e.com/a?u=https://b@c", "https://e.com/a?u=https://b@c"),
        ("https://e.com/...", "https://e.com/..."), ("https://e.com/.a/..b/c..", "https://e.com/.a/..b/c.."),
        ("https://e.com/a?x=../..", "https://e.com/a?x=../.."),
        ("https://e.com/a%2Fb", "https://e.com/a%2Fb"),
        ("https://e.com/a%00", "https://e.com/a%00"), ("https://e.com/e\u{301}", "https://e.com/e%CC%81"),
    ]

    static let hosts = [
        ("https://e.com:443/a", "https://e.com/a"), ("http://e.com:80/a", "http://e.com/a"),
        ("https://e.com:80/a", "https://e.com:80/a"), ("http://e.com:443/a", "http://e.com:443/a"),
        ("https://e.com:65535/a", "https://e.com:65535/a"), ("https://e.com:1", "https://e.com:1/"),
        ("https://xn--fiq228c.com/a", "https://xn--fiq228c.com/a"),
        ("https://a_b-c.e.com/", "https://a_b-c.e.com/"),
        ("https://localhost/a", "https://localhost/a"), ("https://127.0.0.1/a", "https://127.0.0.1/a"),
        ("https://1.2.3.4.e.com/", "https://1.2.3.4.e.com/"), ("https://0x7f.com/", "https://0x7f.com/"),
        ("https://[::1]/a", "https://[::1]/a"), ("https://[0:0:0:0:0:0:0:1]:8443/", "https://[::1]:8443/"),
        ("https://[2001:DB8::A]/", "https://[2001:db8::a]/"),
        ("https://[::ffff:1.2.3.4]/", "https://[::ffff:1.2.3.4]/"),
        ("https://[::FFFF:102:304]/", "https://[::ffff:1.2.3.4]/"),
    ]

    static let refusedHosts = [
        "https://", "https:///a", "https://?a", "https://#a", "https://:443/", "https:e.com/a",
        "https:/e.com/a",
        "https://user@e.com/", "https://user:pass@e.com/", "https://@e.com/", "https://e.com@evil.org/a",
        "https://e.com:443@evil.org/", "https://e.com\\@evil.org/", "https://e.com\\evil.org/a",
        "https:\\\\e.com/a", "https://e.com./a", "https://.e.com/", "https://e..com/", "https://e.com.:443/",
        "https://bücher.de/", "https://ｅ.com/", "https://e\u{3002}com/", "https://e.com\u{2100}.org/",
        "https://e%2ecom/", "https://e.com%00.evil.org/", "https://e com/", "https://e.com /a",
        " https://e.com/a",
        "https://e.com:/a", "https://e.com:0/", "https://e.com:65536/", "https://e.com:080/",
        "https://e.com:+80/",
        "https://e.com:8a/", "https://e.com:80:80/", "https://e.com:99999999999999999999/", "https://e,com/",
        "https://e.com;a/", "https://*/", "https://e.com\t/a", "https://e.com/a\n", "https://e.com/\u{0}",
        "https://e.com/a\u{85}b", "https://e.com/\u{7F}", "ht\ntps://e.com/",
        "https://" + String(repeating: "a", count: 64) + ".com/",
        "https://" + String(repeating: "abc.", count: 64) + "com/",
    ]
    static let refusedAddresses = [
        "https://127.1/", "https://2130706433/", "https://0x7f000001/", "https://0x7f.0.0.1/",
        "https://0177.0.0.1/",
        "https://127.0.0.01/", "https://127.0.0.256/", "https://1.2.3.4.5/", "https://127.0.0.1./",
        "https://e.com.1/", "https://e.0x/", "https://e.0xff/", "https://١٢٧.0.0.1/", "https://[::1/",
        "https://[]/",
        "https://[::1]a/", "https://[::1]:/", "https://[fe80::1%25eth0]/", "https://[fe80::1%eth0]/",
        "https://[v1.a]/",
        "https://[127.0.0.1]/", "https://[::g]/", "https://[::1]]/", "https://::1/", "https://[[::1]]/",
        "https://[1:2:3:4:5:6:7:8:9]/", "https://[::ffff:0x7f.1]/",
    ]
    static let refusedPaths = [
        "https://e.com/..", "https://e.com/.", "https://e.com/a/../b", "https://e.com/a/./b",
        "https://e.com/a/..?x",
        "https://e.com/a/%2e%2E/b", "https://e.com/a/.%2e", "https://e.com/a%2f..%2fb",
        "https://e.com/a%5C..%5Cb",
        "https://e.com/a/..;x/b", "https://e.com/a/%2e%2e%3bx/b", "https://e.com/a/..#x",
        "https://e.com/a\\b",
    ]
    static let refusedSchemes = [
        "", "a.jpg", "/a.jpg", "//e.com/a.jpg", "e.com/a.jpg", "?x", "#x", ":", "://e.com/", "ftp://e.com/a",
        "file:///etc/passwd", "data:image/png;base64,AA", "javascript:1", "gopher://e.com/",
        "httpss://e.com/",
        "http\u{1F}://e.com/", "https ://e.com/", "h%74tps://e.com/a", "http+unix://x/", "ſ3://photos/a",
    ]

    @Test(arguments: paths + hosts)
    func `A URL has one spelling`(_ text: String, expected: String) throws {
        let source = try Self.rules.source(named: text)
        let url = try #require(URL(string: expected))
        #expect(source == .http(url))
        #expect(source.name == expected)
        #expect(try Self.rules.source(named: expected) == source)
    }

    @Test(arguments: refusedHosts + refusedAddresses + refusedPaths + refusedSchemes)
    func `A malformed source is 400`(_ text: String) throws {
        let error = try #require(throws: ServiceError.self) { try Self.rules.source(named: text) }
        #expect(error.status == 400)
        #expect(error.offset == nil)
    }

    /// Reading in quadratic time would take minutes.
    @Test(
        .timeLimit(.minutes(1)),
        arguments: ["https://e.com/", "https://", "s3://photos/", "local:///", "https://["])
    func `A long text is read in linear time`(_ start: String) {
        for part in ["/", "%", "?versionId=", "?versionId", "../", ":", "a", "\u{301}"] {
            let text = start + String(repeating: part, count: 100_000 / part.utf8.count)
            _ = try? Self.rules.source(named: text)
        }
    }
}

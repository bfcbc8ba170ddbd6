import Foundation
import Testing

@testable import KingfisherTransport

/// RFC 6265, 5.
@Suite struct CookieSettingTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func read(_ field: String, _ url: String = "https://www.a.example/dir/x?q") throws
        -> [CookieSetting]
    {
        CookieSetting.read(CookieSetting.lines(field), from: try #require(URL(string: url)), at: now)
    }

    @Test func namesAndValuesAreRead() throws {
        let table: [(String, [String])] = [
            ("a=1", ["a=1"]), (" a = 1 ; b", ["a=1"]), ("a=", ["a="]), ("a=b=c", ["a=b=c"]),
            (#"a="q x""#, [#"a="q x""#]), ("=v", []), ("a", []), ("", []), (";;;", []), (",", []),
            ("a=1, b=2; Path=/, c=3", ["a=1", "b=2", "c=3"]),
            ("a=1; Expires=Wed, 21 Oct 2099 07:28:00 GMT, b=2", ["a=1", "b=2"]),
            ("a=1, 5", ["a=1, 5"]), ("é=ü", ["é=ü"]), ("a=\u{0}", []), ("a=1\r\nX: y", []), ("\u{7f}=1", []),
            (String(repeating: "a", count: 5_000) + "=1", []),
        ]
        for (field, pairs) in table {
            #expect(try read(field).map { "\($0.name)=\($0.value)" } == pairs, "\(field.prefix(60))")
        }
        let many = (0..<1_000).map { "c\($0)=1" }.joined(separator: ", ")
        #expect(try read(many).count == CookieSetting.maxPerResponse)
    }

    @Test func lineIsOneCookie() throws {
        let url = try #require(URL(string: "https://a.example/"))
        let read = CookieSetting.read(["a=x, session=evil; Path=/"], from: url, at: now)
        #expect(read.map { "\($0.name)=\($0.value)" } == ["a=x, session=evil"])
    }

    @Test(arguments: [
        ("", "www.a.example"), ("a.example", ".a.example"), (".A.Example", ".a.example"),
        ("www.a.example", ".www.a.example"), ("example", nil), (".example", nil), ("b.example", nil),
        ("x.www.a.example", nil), ("ww.a.example", nil), (".", "www.a.example"),
    ])
    func domains(_ attribute: String, domain: String?) throws {
        #expect(try read("a=1; Domain=\(attribute)").first?.domain == domain)
    }

    @Test(arguments: [
        ("http://127.0.0.1/", "127.0.0.1", "127.0.0.1"), ("http://127.0.0.1/", "0.0.1", nil),
        ("http://[::1]/", "::1", "::1"), ("http://localhost/", "localhost", "localhost"),
        ("http://shop.co.uk/", "co.uk", "shop.co.uk"), ("http://a.shop.co.uk/", "shop.co.uk", ".shop.co.uk"),
        ("http://co.uk/", "co.uk", "co.uk"), ("http://a.com/", "com", nil),
    ])
    func unusualHosts(_ url: String, _ attribute: String, domain: String?) throws {
        #expect(try read("a=1; Domain=\(attribute)", url).first?.domain == domain)
    }

    @Test(arguments: [
        ("http://a.test", "/"), ("http://a.test/", "/"), ("http://a.test/x", "/"), ("http://a.test/x/", "/x"),
        ("http://a.test/x/y?z=/w", "/x"),
    ])
    func defaultPaths(_ url: String, path: String) throws {
        #expect(try read("a=1", url).first?.path == path)
        #expect(try read("a=1; Path=relative", url).first?.path == path)
        #expect(try read("a=1; Path=/p; Path=/q", url).first?.path == "/q")
    }

    @Test func lifetimes() throws {
        let table: [(String, TimeInterval?)] = [
            ("Max-Age=100", 100), ("Max-Age=100; Expires=Thu, 01 Jan 1970 00:00:00 GMT", 100), ("", nil),
            ("Max-Age=x", nil), ("Max-Age=1e3", nil), ("Max-Age=", nil), ("Expires=garbage", nil),
            ("Max-Age=99999999999999999999999999", 400 * 86_400),
            ("Expires=Wed, 21 Oct 2099 07:28:00 GMT", 400 * 86_400),
            ("Expires=Tue, 14 Nov 2023 22:13:30 GMT", 10), ("expires=14-Nov-23 22:13:10", -10),
        ]
        for (attributes, seconds) in table {
            let expires = try read("a=1; \(attributes)").first?.expires
            #expect(expires?.timeIntervalSince(now) == seconds, "\(attributes)")
        }
        #expect(try read("a=1; Max-Age=-5").first?.expires == .distantPast)
        #expect(try read("a=1; Max-Age=0").first?.expires == now)
    }

    /// The expected values are computed with Python's calendar.timegm.
    @Test func dates() {
        let forms = [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            "6 NOVEMBER 1994 8:49:37", "08:49:37 06 Nov 94",
        ]
        for form in forms { #expect(CookieDate.read(form)?.timeIntervalSince1970 == 784_111_777, "\(form)") }
        #expect(CookieDate.read("29 Feb 2000 00:00:00")?.timeIntervalSince1970 == 951_782_400)
        #expect(CookieDate.read("1 Jan 69 0:0:0")?.timeIntervalSince1970 == 3_124_224_000)
        for bad in [
            "", "6 Nov 1994", "32 Nov 1994 08:49:37", "6 Nov 1600 08:49:37", "6 Nov 1994 24:00:00", "a b c",
        ] {
            #expect(CookieDate.read(bad) == nil, "\(bad)")
        }
    }

    @Test func secureCookies() throws {
        #expect(try read("a=1; Secure").first?.isSecure == true)
        #expect(try read("a=1; Secure", "http://a.test/").isEmpty)
        #expect(try read("__Secure-a=1").isEmpty)
        #expect(try read("__Secure-a=1; Secure").count == 1)
        #expect(try read("__Host-a=1; Secure; Path=/").count == 1)
        #expect(try read("__Host-a=1; Secure; Path=/; Domain=a.example").isEmpty)
        #expect(try read("__host-a=1; Secure").isEmpty)
    }
}

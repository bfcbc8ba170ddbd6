import Foundation
import KingfisherTransport
import Testing

/// URLs of texts, with the results of browsers where a URL can have them.
@Suite struct WebTextTests {
    @Test(
        "Valid escapes stay, and what a URL cannot contain is escaped",
        arguments: [
            ("http://a.test/a%20b c.png", "http://a.test/a%20b%20c.png"),
            ("http://a.test/ä%c3%a4?ö=%2f#ü%20 x", "http://a.test/%C3%A4%c3%a4?%C3%B6=%2f#%C3%BC%20%20x"),
            ("http://a.test/\"<>`{}|^[]", "http://a.test/%22%3C%3E%60%7B%7D%7C%5E%5B%5D"),
            ("http://a.test/%?%2&%zz%", "http://a.test/%25?%252&%25zz%25"),
            ("http://a.test/#a#b", "http://a.test/#a%23b"),
            (" \u{1}http://a.test/a\n\tb\r ", "http://a.test/ab"),
            ("HTTP:\\\\a.test\\b?c\\d", "HTTP://a.test/b?c%5Cd"),
            ("http://[::1]:80/[", "http://[::1]:80/%5B"),
            ("http://bücher.test/%20 ü", "http://xn--bcher-kva.test/%20%20%C3%BC"),
            ("data:image/png;base64,A%2Bb c", "data:image/png;base64,A%2Bb%20c"),
            ("http://a.test/a/../b", "http://a.test/b"), ("http://a.test/%2e%2E/./x/.", "http://a.test/x/"),
            ("http://a.test/a//../b?/../#/../", "http://a.test/a/b?/../#/../"),
            ("http://a.test/..", "http://a.test/"), ("http://a.test?x/../y", "http://a.test?x/../y"),
            ("http://a.test/a/..%2fb/..%5C", "http://a.test/a/..%2fb/..%5C"),
            ("http://a.test/.../.a/%2ea", "http://a.test/.../.a/%2ea"),
            ("file:///a/../b", "file:///a/../b"),
            ("https://u:p%20w@a.test/!$&'()*+,;=:@-._~", "https://u:p%20w@a.test/!$&'()*+,;=:@-._~"),
        ])
    func absolute(_ text: String, _ expected: String) {
        #expect(URL(webText: text)?.absoluteString == expected)
    }

    @Test(
        "A relative text is resolved",
        arguments: [
            ("b%20 c", "http://a.test/d/b%20%20c"), ("?%41 b", "http://a.test/d/e?%41%20b"),
            ("\\x", "http://a.test/x"), ("\\\\b.test\\x", "http://b.test/x"), ("#%", "http://a.test/d/e#%25"),
            ("%2e%2E/x", "http://a.test/x"), ("..", "http://a.test/"), ("%2e", "http://a.test/d/"),
            ("/a/.%2E/../x", "http://a.test/x"), ("//b.test/a/../x", "http://b.test/x"),
            ("..%2fx", "http://a.test/d/..%2fx"),
        ])
    func relative(_ text: String, _ expected: String) throws {
        let base = try #require(URL(string: "http://a.test/d/e"))
        #expect(URL(webText: text, relativeTo: base)?.absoluteURL.absoluteString == expected)
    }

    @Test("A text without characters to escape gives the URL of Foundation")
    func plain() {
        for text in ["http://a.test", "http://a.test:8080/a/b.png?c=d&e#f", "file:///a/b", "mailto:a@b.test"]
        {
            #expect(URL(webText: text) == URL(string: text))
        }
    }
}

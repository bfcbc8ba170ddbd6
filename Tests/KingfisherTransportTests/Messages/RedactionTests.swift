import Foundation
import Testing

@testable import KingfisherTransport

@Suite struct RedactionTests {
    @Test(
        "No spelling of a URL that a parser reads with user info shows it",
        arguments: [
            ("http://u:secret@h/a.png?b=c@d", "http://h/a.png?b=c@d"),
            ("https://secret@h", "https://h"),
            ("HTTP://u:se@secret@h:80/", "HTTP://h:80/"),
            ("redis://:secret@h/0", "redis://h/0"),
            // Other numbers of slashes, and backslashes.
            ("http:///u:secret@h/x", "http:///h/x"),
            ("http:////u:secret@h/x", "http:////h/x"),
            (#"http:\\u:secret@h\x"#, #"http:\\h\x"#),
            (#"http:/\u:secret@h/x"#, #"http:/\h/x"#),
            ("http:/u:secret@h/x", "http:/h/x"),
            ("http:u:secret@h/x", "http:h/x"),
            ("ftp:u:secret@h/x", "ftp:h/x"),
            ("//u:secret@h/x", "//h/x"),
            (#"\\u:secret@h\x"#, #"\\h\x"#),
            (#"http://user:1\secret@h/"#, "http://h/"),
            // Tabs and line breaks, which some parsers remove.
            ("http:/\t/u:secret@h/x", "http:/\t/h/x"),
            ("ht\ntp:u:secret@h/x", "ht\ntp:h/x"),
            ("http\r:u:secret@h/x", "http\r:h/x"),
            ("http:// u:secret@h/x", "http:// h/x"),
            // Delimiters in the password.
            ("http://u:sec/secret@h/a.png", "http://h/a.png"),
            ("http://u:1234567/secret@h/", "http://h/"),
            ("http://u:+1/secret@h/", "http://h/"),
            ("http://u:secret?#@h/a.png", "http://h/a.png"),
            ("http://?u:secret@h", "http://h"),
            // Another spelling of the sign.
            ("http://u:secret%40h/a.png", "http:///a.png"),
            ("http://u:secret%40h:80/a.png", "http:///a.png"),
            ("http://u:secret\u{FF20}h/a.png", "http:///a.png"),
            // In the path, and in a URL in the path or the query.
            ("http://h/u:secret@k/x", "http://h/k/x"),
            (#"http://h\u:secret@k\x"#, "http://k\\x"),
            ("http://h/a/http:/u:secret@k/x", "http://h/a/http:/k/x"),
            ("http://h/http://secret@k/x", "http://h/http://k/x"),
            ("http://h/?url=https://u:secret@k/", "http://h/?url=https://k/"),
            ("http://u:secret@h/?url=https:u:secret@k/", "http://h/?url=https:k/"),
        ])
    func spellings(text: String, shown: String) throws {
        #expect(text.withoutUserInfo == shown)
        #expect(shown.withoutUserInfo == shown, "redacting again changes nothing")
        if let url = URL(string: text) {
            #expect(!url.redacted.absoluteString.contains("secret"))
            #expect(!url.withoutSecrets.absoluteString.contains("secret"))
        }
    }

    @Test(
        "An @ that no parser reads as the end of user info stays",
        arguments: [
            "http://h/a@2x.png", "http://h:80/a@2x.png", "http://[::1]/a@2x.png", "http://[::1]:80/@x",
            "http://h/12:30/a@2x.png", "http://h/?a:b@c", "http://h/#a:b@c", "photo@2x.png", "12:30@4.png",
            "file:///home/u:1@2x.png", "/home//u:1@2x.png", "key@1", "://", "",
        ])
    func others(text: String) { #expect(text.withoutUserInfo == text) }

    @Test("A URL without a scheme may follow white space")
    func whiteSpace() { #expect(" \t//u:secret@h/x".withoutUserInfo == " \t//h/x") }

    @Test("In prose a space or a quotation mark ends a URL")
    func prose() {
        let text = #"see http:///u:secret@h, a@b, "http://h:" and me@h, http://h: me@h"#
        #expect(
            text.withoutUserInfo(spaceEndsURL: true)
                == #"see http:///h, a@b, "http://h:" and me@h, http://h: me@h"#)
    }
}

import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherCLI

/// Redaction and escaping of untrusted text in output lines.
@Suite("Untrusted text in messages")
struct MessageTests {
    private let tool = Tool()

    @Test("User names and passwords are removed from URLs, even from invalid ones")
    func withoutUserInfo() {
        for (text, shown) in [
            ("http://u:secret@h/a.png?b=c@d", "http://h/a.png?b=c@d"),
            ("https://secret@h", "https://h"),
            ("HTTP://u:se@cret@h:80/", "HTTP://h:80/"),
            ("ftp://u:secret@h/", "ftp://h/"),
            ("http:u:secret@h/", "http:h/"),
            ("https:/u:secret@h/", "https:/h/"),
            ("http://u:se/cret@h/a.png", "http://h/a.png"),
            ("http://u:se cret?#@h/a.png", "http://h/a.png"),
            ("http://[::1]/a@2x.png", "http://[::1]/a@2x.png"),
            ("http://h:80/a@2x.png", "http://h:80/a@2x.png"),
            ("photo@2x.png", "photo@2x.png"),
            ("12:30@4.png", "12:30@4.png"),
        ] {
            #expect(text.withoutUserInfo == shown)
            #expect(shown.withoutUserInfo == shown)
        }
        let long = "http://u:" + String(repeating: "secret", count: 100) + "@h/"
        #expect(long.forMessages == "http://h/")
        #expect(
            "see http://u:secret@h, or a@b and http://h: me@h".redacted
                == "see http://h, or a@b and http://h: me@h")
    }

    @Test("Control characters and bidirectional marks are escaped, in JSON, too")
    func escaped() throws {
        let bad = "\u{1}\u{7F}\u{85}\u{61C}\u{200E}\u{200F}\u{2028}\u{2029}\u{202A}\u{202E}\u{2066}\u{2069}"
        let shown = #"\u0001\u007F\u0085\u061C\u200E\u200F\u2028\u2029\u202A\u202E\u2066\u2069"#
        #expect(bad.escaped == shown)
        #expect("été 👩‍👧 שלום\\".escaped == "été 👩‍👧 שלום\\")
        #expect(JSONLine(["a": .text(bad)]).description == #"{"a":"\#(shown)"}"#)
        #expect(JSONLine(["a": .source(SystemText.text([0xE9]))]).description == #"{"a":"\\xE9"}"#)
    }

    @Test(
        "No line contains a password for any error",
        arguments: [
            "get http://u:secret@ADDRESS/a.png -o a.png", "get http://u:secret@ADDRESS/missing",
            "get http://u:secret@ADDRESS/away -o a.png", "get http://u:secret@ADDRESS/text -p bw",
            "info http://u:secret@ADDRESS/a.png", "info http://u:se/secret@ADDRESS/a.png",
            "info ftp://u:secret@ADDRESS/a.png", "info http://u:secret@127.0.0.1:1/",
            "info http:u:secret@ADDRESS", "cache path http://u:secret@ADDRESS/a.png",
            "cache remove http://u:secret@ADDRESS/a.png", "processors http://u:secret@ADDRESS/a.png",
            "get http://u:secret@ADDRESS/a.png --quality http://u:secret@h/",
            "get u:secret@ADDRESS/a.png -o a.png", "info http//u:secret@ADDRESS/a.png",
            "info http://u:secret%40ADDRESS/a.png", "cache path u:secret@ADDRESS/a.png",
        ])
    func passwords(command: String) async throws {
        let image = try Fixtures.data(named: "Photos/badge.png")
        let server = try LoopbackServer { request in
            switch request.path {
            case "/a.png": .ok(image)
            case "/text": .ok(Data("text".utf8))
            case "/away": .redirect(to: "http://v:othersecret@127.0.0.1:1/x?secret")
            default: .status(404)
            }
        }
        let address = "127.0.0.1:\(try #require(server.url("/").port))"
        let arguments = command.replacing("ADDRESS", with: address).split(separator: " ").map(String.init)
        for more in [[], ["--json"]] where arguments[0] != "processors" || more.isEmpty {
            let result = try await tool.run(arguments + more)
            let output = String(decoding: result.output, as: UTF8.self)
            #expect(!output.contains("secret"), "\(output)")
            #expect(!result.errors.contains("secret"), "\(result.errors)")
            #expect(!output.isEmpty || !result.errors.isEmpty)
        }
    }

    @Test("File names and server texts are escaped in lines and JSON")
    func hostileNames() async throws {
        let name = "a\u{202E}gpj.\u{1B}]0;x\u{7}\n.png"
        let shown = #"a\u202Egpj.\u001B]0;x\u0007\u000A.png"#
        try Fixtures.data(named: "Photos/badge.png").write(to: URL(filePath: tool.folder.path(name)))
        let line = try await tool("info", name)
        #expect(line.status == 0 && line.lines.count == 1)
        #expect(line.lines.first?.hasPrefix("\(shown): PNG, ") == true)
        let json = try await tool("info", name, "--json")
        #expect(String(decoding: json.output, as: UTF8.self).contains(#"{"source":"a\u202Egpj.\u001B]"#))
        #expect(try json.objects().first?["source"] as? String == name)
        for arguments in [["info", name + "x"], ["get", name + "x"], ["processors", name]] {
            let errors = try await tool.run(arguments).errors
            #expect(errors.contains(shown))
            #expect(!errors.contains("\u{202E}") && !errors.contains("\u{1B}"))
        }
        // A derived file name is also cleaned.
        let written = try await tool("get", name, "-p", "bw", "--no-cache")
        #expect(written.lines.first?.hasPrefix("a_gpj._]0;x__.png: ") == true)
        let server = try LoopbackServer { _ in
            .raw("HTTP/1.1 404 \u{1B}[31m\u{202E}No\r\nLocation: \u{202E}\r\nContent-Length: 0\r\n\r\n")
        }
        let refused = try await tool("get", server.url("/a.png").absoluteString, "-o", "b.png", "--no-cache")
        #expect(refused.status == 1)
        #expect(!refused.errors.contains("\u{202E}") && !refused.errors.contains("\u{1B}"))
    }
}

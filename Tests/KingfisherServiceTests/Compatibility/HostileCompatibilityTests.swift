import Testing

@testable import KingfisherService

/// Input of an attacker: an error with a status and one line, never a trap, in linear time.
struct HostileCompatibilityTests {
    private static let short: [String] = [
        "", "/", "//", "///", ":", "%", "%%", "@", ".", "=", "(", ")", "x", "-", "\0", "\u{7F}", "\r\n",
        "a\nb",
        "é", "/\u{301}", "plain/\u{301}", "w:\u{301}300/plain/https://e.com/a.jpg",
        "w:٣٠٠/plain/https://e.com/a",
        "w:３００/plain/https://e.com/a", "w:-0/plain/https://e.com/a", "w:+5/plain/https://e.com/a",
        "w:1e999999999/plain/https://e.com/a", "dpr:NaN/plain/https://e.com/a",
        "dpr:-inf/plain/https://e.com/a",
        "dpr:0x1p4/plain/https://e.com/a", "z:1e-320/plain/https://e.com/a", "t:.../plain/https://e.com/a",
        "t:./plain/https://e.com/a", "t:-/plain/https://e.com/a", "g:fp:-0:1e1/plain/https://e.com/a",
        "exp:9223372036854775807/plain/https://e.com/a", "exp:-9223372036854775808/plain/https://e.com/a",
        "plain/%C0%80", "plain/%ED%A0%80", "plain/%F8%88%80%80%80", "plain/https://e.com/%2e%2e/%00",
        "plain/https:", "plain/https:/", "plain/https://", "plain/:/a", "plain/local:/", "plain/:",
        "wAA=.png.png",
        "-x-/", "-x-/-x-/-x-/e", "x:x/e", "0x0:0x0:0x0/e", "1x2:3/e", "trim:::/e", "filters:/e",
        "filters:a(/e", "filters:a)/e", "filters:a(b)c(d)/e", "filters::/e", "filters:blur(-)/e",
        "filters:blur(٣)/e", "filters:quality(\0)/e", "99999999999999999999x99999999999999999999/e",
        "-\u{301}300x200/e.com",
    ]

    private static let long: [String] = [
        ":", "/", "%", "@", "(", ")", "x", "=", ".", "w:1/", "pr:", "%3A", "1x1/", "a(", "-", "\u{301}", "w:",
        "9",
    ].flatMap { (text: String) -> [String] in
        let text = String(repeating: text, count: 10_000 / text.utf8.count)
        return [
            text, "plain/\(text)", "filters:\(text)/e", "rs:\(text)/plain/https://e.com/a.jpg",
            "c:\(text):1/plain/https://e.com/a",
        ]
    }

    /// Some are images; the others have an error that can be sent.
    private func check(_ request: () throws(ServiceError) -> ServiceRequest) {
        guard let error = Fixture.error(request) else { return }
        #expect([400, 403, 404, 410].contains(error.status))
        #expect((1...400).contains(error.message.utf8.count))
        #expect(error.message.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
    }

    @Test(arguments: short + long) func `A hostile path is read or refused`(_ path: String) {
        let presets = Fixture.settings { $0.imgproxy?.usesOnlyPresets = true }
        let signed = Fixture.settings {
            $0.signing = .keys([])
            $0.imgproxy = ImgproxySettings(keys: [ImgproxySettings.KeyPair(key: [1], salt: [])])
        }
        for settings in [Fixture.settings(), presets, signed] {
            for path in [path, "unsafe/\(path)", "unsafe/300x200/\(path)", "unsafe/w:1/\(path)"] {
                check { () throws(ServiceError) in try ImgproxyReader(settings).request(path[...], now: 0) }
                check { () throws(ServiceError) in try ThumborReader(settings).request(path[...], now: 0) }
            }
        }
    }

    @Test func `A reader accepts a part of a longer string`() throws {
        let path = "/imgproxy/any/w:300/plain/https://e.com/a.jpg".dropFirst("/imgproxy/".count)
        #expect(try ImgproxyReader(Fixture.settings()).request(path, now: 0).texts == ["fit:300x0"])
        let other = "/thumbor/unsafe/300x200/e.com/a.jpg".dropFirst("/thumbor/".count)
        #expect(
            try ThumborReader(Fixture.settings()).request(other, now: 0).texts == ["cover:300x200,enlarge"])
    }

    @Test func `Many options are refused`() {
        let options = String(repeating: "w:1/", count: 1_001)
        let error = Fixture.error { () throws(ServiceError) in
            try Fixture.imgproxy("\(options)\(Fixture.source)")
        }
        #expect(error?.status == 400)
    }
}

import Testing

@testable import KingfisherStorage

struct SameBytesTests {
    @Test(
        "Strings with equal UTF-8 have the same bytes",
        arguments: ["", "a", "key", "caf\u{E9}", "cafe\u{301}", "\0", "a\0"])
    func comparesBytes(text: String) {
        #expect(text.hasSameBytes(as: String(decoding: Array(text.utf8), as: UTF8.self)))
        for other in ["k", "keys", "caf\u{E9}s", "cafe", "\0\0", "b", "a\0b"] {
            #expect(!text.hasSameBytes(as: other))
            #expect(!other.hasSameBytes(as: text))
        }
    }

    @Test("Two Unicode forms of one letter do not have the same bytes")
    func unicodeFormsDiffer() {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        #expect(composed == decomposed && !composed.hasSameBytes(as: decomposed))
    }
}

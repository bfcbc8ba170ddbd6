import Testing

@testable import KingfisherStorage

struct SameBytesTests {
    @Test(
        "Texts are the same by their UTF-8",
        arguments: ["", "a", "key", "caf\u{E9}", "cafe\u{301}", "\0", "a\0"])
    func comparesBytes(text: String) {
        #expect(text.hasSameBytes(as: String(decoding: Array(text.utf8), as: UTF8.self)))
        for other in ["k", "keys", "caf\u{E9}s", "cafe", "\0\0", "b", "a\0b"] {
            #expect(!text.hasSameBytes(as: other))
            #expect(!other.hasSameBytes(as: text))
        }
    }

    @Test("Two spellings of one letter are two texts")
    func spellingsDiffer() {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        #expect(composed == decomposed && !composed.hasSameBytes(as: decomposed))
    }
}

import Testing

@testable import KingfisherCLI

@Suite("System strings")
struct SystemTextTests {
    @Test("UTF-8 is unchanged")
    func plain() {
        for text in ["", "photo.jpg", "été 🐦.png", "\u{10F6FF}\u{10F800}"] {
            #expect(SystemText.text(Array(text.utf8)) == text)
            #expect(SystemText.bytes(text) == Array(text.utf8))
            #expect(!text.hasRawBytes)
        }
    }

    @Test("Every byte string has a unique text and converts back")
    func reversible() {
        var generator = SystemRandomNumberGenerator()
        // Leading and continuation bytes of UTF-8, and those of the private-use scalars.
        let parts: [[UInt8]] = [
            [0x61], [0xE9], [0xC3, 0xA9], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x9F], [0x80], [0xFF],
            [0xF0, 0x9F, 0x90, 0xA6], Array("\u{10F7E9}".utf8), Array("\u{10F780}".utf8), [0xF4, 0x90],
        ]
        var seen: [String: [UInt8]] = [:]
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...5, using: &generator)).flatMap { _ in
                parts.randomElement(using: &generator) ?? []
            }
            let text = SystemText.text(bytes)
            #expect(SystemText.bytes(text) == bytes)
            #expect(seen.updateValue(bytes, forKey: text) ?? bytes == bytes)
        }
        #expect(SystemText.text([0x63, 0xE9]).forMessages == #"c\xE9"#)
        #expect(SystemText.text([0x63, 0xE9]).percentEncodingRawBytes == "c%E9")
    }
}

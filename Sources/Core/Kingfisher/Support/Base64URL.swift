import Foundation

/// The alphabet of Base64 for URLs (RFC 4648, section 5).
package enum Base64URL {
    /// The text without padding.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text = Data(bytes).base64EncodedData().map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        while text.last == UInt8(ascii: "=") { text.removeLast() }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of a text with or without padding; nil if it has another character, a wrong length, or bits
    /// that belong to no byte.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes = Array(text.utf8)
        while bytes.last == UInt8(ascii: "=") { bytes.removeLast() }
        let digits = String(decoding: bytes, as: UTF8.self)
        guard !digits.utf8.contains(where: { "+/=".utf8.contains($0) }) else { return nil }
        let standard = digits.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: standard + padding) else { return nil }
        let decoded = [UInt8](data)
        return encode(decoded) == digits ? decoded : nil
    }
}

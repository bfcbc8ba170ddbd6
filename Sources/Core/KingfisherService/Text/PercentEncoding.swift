/// Percent-encoding of paths (RFC 3986, section 2.1).
enum PercentEncoding {
    enum Failure: Error, Hashable {
        /// `%` without two hexadecimal digits, at this offset in bytes.
        case badEscape(at: Int)
        /// The decoded bytes are not UTF-8.
        case notUTF8
        /// A control character, encoded or not.
        case control
    }

    /// The text, decoded once. `+` is not a space.
    static func decode(_ text: some StringProtocol) throws(Failure) -> String {
        let bytes = Array(text.utf8)
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            var byte = bytes[index]
            if byte == UInt8(ascii: "%") {
                guard index + 2 < bytes.count, let high = hex(bytes[index + 1]),
                    let low = hex(bytes[index + 2])
                else { throw .badEscape(at: index) }
                byte = high << 4 | low
                index += 2
            }
            decoded.append(byte)
            index += 1
        }
        guard let string = String(validating: decoded, as: UTF8.self) else { throw .notUTF8 }
        guard !hasControl(string) else { throw .control }
        return string
    }

    /// The text with every byte encoded for which `isAllowed` is false; `%` always is.
    static func encode(_ text: some StringProtocol, _ isAllowed: (UInt8) -> Bool) -> String {
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            if byte != UInt8(ascii: "%"), isAllowed(byte) {
                encoded.append(byte)
            } else {
                encoded += escape(byte).utf8
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// `%` and two upper-case digits.
    static func escape(_ byte: UInt8) -> String {
        "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }

    /// Whether the text has a control character, C0, C1 or DEL.
    static func hasControl(_ text: some StringProtocol) -> Bool {
        text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }

    static func hex(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

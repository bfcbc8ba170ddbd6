import Foundation

/// The bytes of a `data:` URI (RFC 2397), base64 or percent-encoded.
///
/// The media type is ignored, because the format is detected from the bytes.
struct DataURI {
    let bytes: Data

    init(_ text: String) throws(SourceArgumentError) {
        let (scheme, body) = text.split(at: ":")
        guard scheme.lowercased() == "data", let body else { throw .invalidDataURI }
        let (head, payload) = body.split(at: ",")
        guard let payload else { throw .invalidDataURI }
        guard let plain = Self.percentDecoded(payload) else { throw .invalidDataURI }
        if head.split(separator: ";", omittingEmptySubsequences: false).dropFirst().last?.lowercased()
            == "base64"
        {
            guard let bytes = Self.base64Decoded(plain) else { throw .invalidDataURI }
            self.bytes = bytes
        } else {
            bytes = plain
        }
    }

    /// Decodes `%XX` sequences; nil if a `%` is not followed by two hexadecimal digits.
    static func percentDecoded(_ text: String) -> Data? {
        var result = Data(capacity: text.utf8.count)
        var bytes = text.utf8.makeIterator()
        while let byte = bytes.next() {
            guard byte == UInt8(ascii: "%") else {
                result.append(byte)
                continue
            }
            guard let high = bytes.next().flatMap(hexDigit), let low = bytes.next().flatMap(hexDigit) else {
                return nil
            }
            result.append(high << 4 | low)
        }
        return result
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map(UInt8.init)
    }

    /// Base64 with optional padding and white space; nil if there is any other character.
    private static func base64Decoded(_ text: Data) -> Data? {
        var digits = text.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard !digits.isEmpty else { return Data() }
        if digits.count % 4 > 1, digits.last != UInt8(ascii: "=") {
            digits.append(contentsOf: repeatElement(UInt8(ascii: "="), count: 4 - digits.count % 4))
        }
        return Data(base64Encoded: digits)
    }
}

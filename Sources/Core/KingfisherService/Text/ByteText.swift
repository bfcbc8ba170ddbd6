/// Comparing and splitting by bytes. `Character` would merge a delimiter with a combining mark after it, and
/// `String.==` takes some different characters as equal.
enum ByteText {
    static func split(_ text: Substring, at separator: Unicode.Scalar) -> [Substring] {
        text.utf8.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false)
            .map { Substring($0) }
    }

    /// The text before and after the first separator; nil without one.
    static func cut(
        _ text: Substring, at separator: Unicode.Scalar
    ) -> (before: Substring, after: Substring)? {
        guard let index = text.utf8.firstIndex(of: UInt8(ascii: separator)) else { return nil }
        return (text[..<index], text[text.utf8.index(after: index)...])
    }

    static func areEqual(_ one: some StringProtocol, _ other: some StringProtocol) -> Bool {
        one.utf8.elementsEqual(other.utf8)
    }

    static func hasPrefix(_ text: some StringProtocol, _ prefix: some StringProtocol) -> Bool {
        text.utf8.starts(with: prefix.utf8)
    }

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    static func isAlphanumeric(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// A decimal number without sign and leading zeros; nil for other text or if it exceeds `Int`.
    static func number(_ text: some StringProtocol) -> Int? {
        let hasLeadingZero = text.utf8.first == UInt8(ascii: "0") && text.utf8.count > 1
        return !hasLeadingZero && text.utf8.allSatisfy(isDigit) ? Int(text) : nil
    }
}

/// The characters of RFC 3986, by the part of a URL.
enum URLBytes {
    /// In a segment of a path (`pchar`), except `%`.
    static func isPathByte(_ byte: UInt8) -> Bool {
        ByteText.isAlphanumeric(byte) || "-._~!$&'()*+,;=:@".utf8.contains(byte)
    }

    /// In a query, except `%`.
    static func isQueryByte(_ byte: UInt8) -> Bool { isPathByte(byte) || "/?".utf8.contains(byte) }

    /// The text with bytes encoded that the part cannot have. Escapes are kept; a `%` without two digits is
    /// encoded.
    static func completed(_ text: Substring, _ isAllowed: (UInt8) -> Bool) -> String {
        let bytes = Array(text.utf8)
        let percent = UInt8(ascii: "%")
        var completed = ""
        for (index, byte) in bytes.enumerated() {
            let isEscape =
                byte == percent && index + 2 < bytes.count
                && PercentEncoding.hex(bytes[index + 1]) != nil
                && PercentEncoding.hex(bytes[index + 2]) != nil
            if isEscape || (byte != percent && isAllowed(byte)) {
                completed.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                completed += PercentEncoding.escape(byte)
            }
        }
        return completed
    }
}

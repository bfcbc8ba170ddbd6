import Glibc

extension String {
    /// The text with control characters, line breaks, bidirectional marks and bytes that are not UTF-8
    /// escaped as `\u001B`, `\u202E` and `\xE9`, so that it can neither control a terminal nor imitate other
    /// text.
    var escaped: String {
        guard unicodeScalars.contains(where: { $0.escape != nil }) else { return self }
        return unicodeScalars.reduce(into: "") { result, scalar in
            if let escape = scalar.escape { result += escape } else { result.unicodeScalars.append(scalar) }
        }
    }

    /// A source without user name and password. Each segment with a colon before an `@` is shown from the `@`
    /// on, because curl reads `user:password@host` as a URL, unless there is such a file.
    var redactedSource: String {
        if access(self, F_OK) == 0 { return withoutUserInfo }
        let prefix = "http://x/"
        return String((prefix + self).withoutUserInfo.dropFirst(prefix.count))
    }

    /// A source for messages: redacted, escaped, and truncated to 120 scalars.
    var forMessages: String {
        let (text, limit) = (redactedSource, 120)
        guard text.unicodeScalars.count > limit else { return text.escaped }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit))).escaped + "…"
    }
}

extension Unicode.Scalar {
    /// The escape sequence of the scalar; nil if it is printable.
    var escape: String? {
        if let rawByte { return "\\x" + rawByte.hexadecimal }
        switch value {
        // C0, DEL and C1; line and paragraph separators; bidirectional marks, embeddings and isolates.
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069:
            return "\\u" + UInt8(value >> 8).hexadecimal + UInt8(value & 0xFF).hexadecimal
        default: return nil
        }
    }
}

extension String {
    /// Prose without the user names and passwords of the URLs in it.
    var redacted: String { withoutUserInfo(spaceEndsURL: true) }
}

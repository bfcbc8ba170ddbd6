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

// MARK: - Redaction

extension String {
    /// The text without user names and passwords of the URLs in it.
    var redacted: String {
        redacted { bytes, start in
            let authority = bytes[start...].prefix { !Self.endsAuthority($0) && $0 > 0x20 && $0 != 0x22 }
            return authority.lastIndex(of: UInt8(ascii: "@"))
        }
    }

    /// A source without user name and password. Everything up to an `@` is removed even if the URL is
    /// invalid, for example with a `/` in the password, because error messages must not show it either.
    var redactedSource: String {
        redacted { bytes, start in
            let authority = bytes[start...].prefix { !Self.endsAuthority($0) }
            if let sign = authority.lastIndex(of: UInt8(ascii: "@")) { return sign }
            guard let colon = authority.lastIndex(of: UInt8(ascii: ":")),
                authority.last != UInt8(ascii: "]"),
                !authority[colon...].dropFirst().allSatisfy({ (0x30...0x39).contains($0) })
            else { return nil }
            return bytes[start...].lastIndex(of: UInt8(ascii: "@"))
        }
    }

    /// Removes the text from the start of each authority to the index that `sign` returns.
    private func redacted(_ sign: ([UInt8], Int) -> Int?) -> String {
        guard utf8.contains(UInt8(ascii: "@")) else { return self }
        let bytes = Array(utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            result.append(bytes[index])
            index += 1
            guard let start = Self.authority(in: bytes, afterColon: index) else { continue }
            result += bytes[index..<start]
            index = sign(bytes, start).map { $0 + 1 } ?? start
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The start of an authority: after `scheme://`, and for http and https also without slashes.
    private static func authority(in bytes: [UInt8], afterColon index: Int) -> Int? {
        guard bytes[index - 1] == UInt8(ascii: ":") else { return nil }
        let slashes = bytes[index...].prefix(2).prefix { $0 == UInt8(ascii: "/") }.count
        let scheme = bytes[..<(index - 1)].suffix(5).map { $0 | 0x20 }
        let isWeb = scheme.suffix(4) == Array("http".utf8)[...] || scheme == Array("https".utf8)
        return slashes == 2 || isWeb ? index + slashes : nil
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains(byte)
    }
}

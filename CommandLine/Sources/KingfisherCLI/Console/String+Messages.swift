extension String {
    /// The text with control characters, line breaks, marks of writing direction and bytes that are not UTF-8
    /// written as `\u001B`, `\u202E` and `\xE9`: it can neither drive a terminal nor look like another.
    var escaped: String {
        guard unicodeScalars.contains(where: { $0.escape != nil }) else { return self }
        return unicodeScalars.reduce(into: "") { result, scalar in
            if let escape = scalar.escape { result += escape } else { result.unicodeScalars.append(scalar) }
        }
    }

    /// A source as it appears in messages: a long `data:` URI truncated, without a password, escaped.
    var forMessages: String {
        let (text, limit) = (redactedSource, 120)
        guard text.unicodeScalars.count > limit else { return text.escaped }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit))).escaped + "…"
    }
}

extension Unicode.Scalar {
    /// What is printed in place of the scalar; nil where it is printed as it is.
    var escape: String? {
        if let rawByte { return "\\x" + rawByte.hexadecimal }
        switch value {
        // C0, DEL and C1; line and paragraph separator; marks, embeddings and isolates of direction.
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069:
            return "\\u" + UInt8(value >> 8).hexadecimal + UInt8(value & 0xFF).hexadecimal
        default: return nil
        }
    }
}

// MARK: - Redaction

extension String {
    /// A sentence without the user names and passwords of the URLs in it.
    var redacted: String {
        redacted { bytes, start in
            let authority = bytes[start...].prefix { !Self.endsAuthority($0) && $0 > 0x20 && $0 != 0x22 }
            return authority.lastIndex(of: UInt8(ascii: "@"))
        }
    }

    /// A source without user name and password. All up to an `@` counts as those also where the URL is not
    /// valid, as with a `/` in the password: the message about it must not show them either.
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

    /// Removes what is between the start of each authority and the sign that `body` finds after it.
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

    /// Where an authority begins: after `scheme://`, and for http and https also where slashes are missing.
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

/// `Content-Disposition` with the name of a file (RFC 6266; extended values of RFC 8187).
struct ContentDisposition {
    let filename: String?
    let isAttachment: Bool

    /// In bytes of UTF-8, as file systems limit names.
    private static let longestName = 255

    /// The value of the field; nil if the URL asks for neither a name nor an attachment.
    var value: String? {
        let kind = isAttachment ? "attachment" : "inline"
        let name = Self.sanitized(filename ?? "")
        guard !name.isEmpty else { return isAttachment ? kind : nil }
        let plain = name.map { Self.isPlain($0) ? $0 : "_" }
        let quoted = "\(kind); filename=\"\(String(plain))\""
        guard String(plain) != name else { return quoted }
        let encoded = PercentEncoding.encode(name) {
            HeaderText.isLetterOrDigit($0) || "!#$&+-.^_`|~".utf8.contains($0)
        }
        return "\(quoted); filename*=UTF-8''\(encoded)"
    }

    /// Clients differ in how they read quotes, backslashes and percent signs in quoted strings.
    private static func isPlain(_ character: Character) -> Bool {
        guard let byte = character.asciiValue else { return false }
        return (0x20...0x7E).contains(byte) && !"\"\\%".utf8.contains(byte)
    }

    /// Without separators of paths, characters that are not visible, and those that change the order of text,
    /// which could disguise the extension.
    private static func sanitized(_ name: String) -> String {
        var (safe, length) = ("", 0)
        for scalar in name.unicodeScalars {
            let isSafe = isVisible(scalar) && scalar != "/" && scalar != "\\"
            let next: Unicode.Scalar = isSafe ? scalar : "_"
            length += UTF8.width(next)
            guard length <= longestName else { break }
            safe.unicodeScalars.append(next)
        }
        return safe
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
        default: true
        }
    }
}

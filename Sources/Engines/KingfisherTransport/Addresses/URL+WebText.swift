public import Foundation

extension URL {
    /// Reads a URL as browsers do (WHATWG URL Standard): only what a URL cannot contain is percent-encoded.
    ///
    /// `URL(string:)` encodes the percent signs of a path or query if anything else in it has to be encoded,
    /// so that `/a%20b c` becomes `/a%2520b%20c`. Here, valid escapes stay as they are; a percent sign
    /// without two hexadecimal digits becomes `%25`. White space and control characters at both ends, tabs
    /// and line breaks are removed. In http, https and file URLs, a backslash before the query is a slash. In
    /// http and https URLs, dot segments of the path are resolved, also escaped ones such as `%2e%2e`.
    ///
    /// - Parameters:
    ///   - text: An absolute URL or, with a base, a relative one.
    ///   - base: The URL that `text` is relative to.
    public init?(webText text: String, relativeTo base: URL? = nil) {
        self.init(webBytes: Array(text.utf8), relativeTo: base)
    }

    /// Bytes that are no ASCII are encoded one by one, so they need not be UTF-8. A host must be UTF-8.
    init?(webBytes bytes: [UInt8], relativeTo base: URL?) {
        self.init(string: WebText(bytes, baseScheme: base?.scheme).escaped, relativeTo: base)
    }
}

/// The text of a URL with escapes for what it cannot contain.
private struct WebText {
    private var rest: ArraySlice<UInt8>
    private var text: [UInt8] = []

    init(_ bytes: [UInt8], baseScheme: String?) {
        let isBlank = { (byte: UInt8) in byte <= 0x20 }
        let inner = bytes.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
        rest = inner.filter { ![0x09, 0x0A, 0x0D].contains($0) }[...]
        let scheme = (takeScheme() ?? baseScheme ?? "").lowercased()
        if ["http", "https", "file"].contains(scheme) { convertBackslashes() }
        // Foundation converts the characters of a host itself, and only escapes of user info are in it.
        let hasAuthority = rest.starts(with: "//".utf8)
        if hasAuthority { take(while: Self.isAuthority) }
        if ["http", "https"].contains(scheme) { resolveDotSegments(removing: hasAuthority) }
        escapeRest()
    }

    var escaped: String { String(decoding: text, as: UTF8.self) }

    /// The text before a colon, if it is a scheme (RFC 3986, 3.1).
    private mutating func takeScheme() -> String? {
        guard let colon = rest.firstIndex(of: UInt8(ascii: ":")), let first = rest.first,
            Self.isLetter(first), rest[..<colon].allSatisfy({ Self.isLetter($0) || Self.isSchemeByte($0) })
        else { return nil }
        defer {
            text += rest[...colon]
            rest = rest[(colon + 1)...]
        }
        return String(decoding: rest[..<colon], as: UTF8.self)
    }

    private mutating func convertBackslashes() {
        let end = rest.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? rest.endIndex
        for index in rest.startIndex..<end where rest[index] == UInt8(ascii: "\\") {
            rest[index] = UInt8(ascii: "/")
        }
    }

    /// Resolves dot segments (WHATWG URL Standard, "path state"). Without `removing`, only decodes them:
    /// Foundation resolves those of a relative path, but no escaped ones.
    private mutating func resolveDotSegments(removing removes: Bool) {
        let path = rest.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        var kept: [ArraySlice<UInt8>] = []
        for segment in segments {
            let dots = Self.dots(in: segment)
            guard removes, !dots.isEmpty else {
                kept.append(dots.isEmpty ? segment : dots)
                continue
            }
            // The first segment is the empty one before the first slash.
            if dots.count == 2, kept.count > 1 { kept.removeLast() }
            if segment.endIndex == path.endIndex { kept.append([]) }
        }
        rest = Array(kept.joined(separator: "/".utf8))[...] + rest[path.endIndex...]
    }

    /// One or two dots if the segment is that, with or without escapes; otherwise empty.
    private static func dots(in segment: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var (rest, count) = (segment, 0)
        while let byte = rest.first, count < 3 {
            if byte == UInt8(ascii: ".") {
                rest = rest.dropFirst()
            } else if rest.starts(with: "%2e".utf8) || rest.starts(with: "%2E".utf8) {
                rest = rest.dropFirst(3)
            } else {
                return []
            }
            count += 1
        }
        return Array(repeating: UInt8(ascii: "."), count: count < 3 ? count : 0)[...]
    }

    private mutating func take(while isTaken: (UInt8) -> Bool) {
        text += rest.prefix(2)
        rest = rest.dropFirst(2)
        let part = rest.prefix(while: isTaken)
        text += part
        rest = rest[part.endIndex...]
    }

    private mutating func escapeRest() {
        var isFragment = false
        for index in rest.indices {
            let byte = rest[index]
            let digits = rest[(index + 1)...].prefix(2)
            let isKept =
                switch byte {
                case UInt8(ascii: "%"): digits.count == 2 && digits.allSatisfy(Self.isHexDigit)
                case UInt8(ascii: "#"): !isFragment
                default: Self.isAllowed(byte)
                }
            if byte == UInt8(ascii: "#") { isFragment = true }
            if isKept {
                text.append(byte)
            } else {
                text += [UInt8(ascii: "%"), Self.digit(byte >> 4), Self.digit(byte & 15)]
            }
        }
    }

    private static func isAuthority(_ byte: UInt8) -> Bool { !"/?#".utf8.contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x61...0x66).contains(byte | 0x20)
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool { isDigit(byte) || "+-.".utf8.contains(byte) }

    /// Whether a path or query may contain the byte (RFC 3986, 3.3 and 3.4).
    private static func isAllowed(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || "-._~!$&'()*+,;=:@/?".utf8.contains(byte)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}

/// The text of a source before its parts are parsed.
enum SourceText {
    /// No parser may see characters that some parsers remove and others take as separators.
    static func checkCharacters(_ text: some StringProtocol) throws(ServiceError) {
        guard !PercentEncoding.hasControl(text), !text.utf8.contains(UInt8(ascii: "\\")) else {
            throw ServiceError(400, "The source has a control character or a backslash.")
        }
    }

    /// The lower-case scheme, and what follows its colon; nil for a relative reference (RFC 3986, section
    /// 4.2), in which no colon precedes the first `/`, `?` or `#`.
    static func scheme(of text: Substring) -> (scheme: String, rest: Substring)? {
        let name = text.utf8.prefix { !":/?#".utf8.contains($0) }
        guard name.endIndex < text.endIndex, text.utf8[name.endIndex] == UInt8(ascii: ":") else { return nil }
        return (Substring(name).lowercased(), text[text.utf8.index(after: name.endIndex)...])
    }

    /// A relative source below the base. It never leaves the base: it names no server, and has no dot
    /// segments.
    static func joined(_ text: String, below base: String) throws(ServiceError) -> String {
        let path = text.utf8.prefix { !"?#".utf8.contains($0) }
        guard !ByteText.hasPrefix(text, "//"), !text.isEmpty, !DotSegments.isFound(in: Substring(path)) else {
            throw ServiceError(400, "A relative source has no host and no dot segments.")
        }
        let separator = base.utf8.last == UInt8(ascii: "/") ? "" : "/"
        return base + separator + String(Substring(text.utf8.drop { $0 == UInt8(ascii: "/") }))
    }
}

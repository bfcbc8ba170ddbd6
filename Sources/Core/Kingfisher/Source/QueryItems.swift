/// The text of a URL, split at its query and at the items of the query (RFC 3986, 3.4).
///
/// Nothing is decoded but the names, so that the other text stays as it is.
struct QueryItems {
    struct Item {
        /// The percent-decoded bytes before the first `=`, or all of them.
        let name: [UInt8]
        fileprivate let text: Substring
    }

    let items: [Item]
    private let text: String
    private let query: Range<String.Index>

    /// Nil if the text has no query.
    init?(_ text: String) {
        let bytes = text.utf8
        let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
        guard let mark = bytes[..<end].firstIndex(of: UInt8(ascii: "?")) else { return nil }
        self.text = text
        query = bytes.index(after: mark)..<end
        items = bytes[query].split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map {
            Item(name: $0.prefix { $0 != UInt8(ascii: "=") }.percentDecoded, text: Substring($0))
        }
    }

    /// The text with some of the items, in their order. A query that becomes empty loses its question mark.
    func text(keeping isKept: (Item) -> Bool) -> String {
        let kept = items.filter(isKept)
        if kept.count == items.count { return text }
        let query = kept.map(\.text).joined(separator: "&")
        let start = text[..<text.utf8.index(before: self.query.lowerBound)]
        return start + (query.isEmpty ? "" : "?" + query) + text[self.query.upperBound...]
    }
}

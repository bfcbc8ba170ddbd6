/// The segment at which the source begins.
enum SourceKeyword: String, CaseIterable {
    case plain
    case b64
    /// The last segment of a path; a format may follow it.
    case upload

    /// The keyword of a segment as received, which is not decoded.
    init?(_ segment: Substring) {
        if let name = Self.named(segment) {
            self = name
        } else if ByteText.hasPrefix(segment, "upload@") {
            self = .upload
        } else {
            return nil
        }
    }

    /// What precedes the format.
    var formatSeparator: Unicode.Scalar { self == .b64 ? "." : "@" }
}

/// A path below the signature, split at its source.
struct SourcePosition {
    /// Segments, each after a slash; empty without segments.
    let head: Substring
    let keyword: SourceKeyword
    /// For `plain` and `b64`, the text after the slash; for `upload`, the text after the keyword.
    let content: Substring

    /// `path` starts with a slash. Nil if no segment starts a source.
    init?(in path: Substring) {
        var slash = path.startIndex
        while slash < path.endIndex {
            let unread = path[path.utf8.index(after: slash)...]
            let end = unread.utf8.firstIndex(of: UInt8(ascii: "/")) ?? path.endIndex
            if let keyword = SourceKeyword(unread[..<end]) {
                self.keyword = keyword
                head = path[..<slash]
                let name = keyword == .upload ? keyword.rawValue : keyword.rawValue + "/"
                content = Substring(unread.utf8.dropFirst(name.utf8.count))
                return
            }
            slash = end
        }
        return nil
    }
}

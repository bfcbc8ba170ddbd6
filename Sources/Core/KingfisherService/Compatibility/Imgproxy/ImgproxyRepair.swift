/// Undoes what proxies and chat programs do to URLs: they escape colons and merge slashes.
enum ImgproxyRepair {
    /// The path with `%3A` as `:` in its options, and two slashes after the scheme of a plain source, three
    /// for `local`. With `presets`, the first segment has names of presets.
    static func repaired(_ path: Substring, presets: Bool) -> String {
        let segments = path.pieces(separatedBy: "/")
        var start = segments.firstIndex { !isOption($0) } ?? segments.count
        if presets { start = 1 }
        var repaired = segments[..<start].map(unescapedColons)
        let source = segments[start...]
        repaired += source.prefix(2).map(String.init)
        if source.first == "plain", source.count > 2, !source[start + 2].isEmpty {
            repaired += missingSegments(after: source[start + 1])
        }
        repaired += source.dropFirst(2).map(String.init)
        return repaired.joined(separator: "/")
    }

    private static func missingSegments(after scheme: Substring) -> [String] {
        let name = scheme.utf8.dropLast()
        guard scheme.utf8.last == UInt8(ascii: ":"), !name.contains(UInt8(ascii: ":")), !name.isEmpty else {
            return []
        }
        return scheme == "local:" ? ["", ""] : [""]
    }

    private static func isOption(_ segment: Substring) -> Bool {
        segment.utf8.contains(UInt8(ascii: ":")) || unescapedColons(segment).utf8.count != segment.utf8.count
    }

    private static func unescapedColons(_ segment: Substring) -> String {
        let pieces = segment.pieces(separatedBy: "%")
        return pieces.dropFirst().reduce(into: String(pieces.first ?? "")) { text, piece in
            let isColon = piece.utf8.starts(with: "3A".utf8) || piece.utf8.starts(with: "3a".utf8)
            text += isColon ? ":" : "%"
            text += isColon ? Substring(piece.utf8.dropFirst(2)) : piece
        }
    }
}

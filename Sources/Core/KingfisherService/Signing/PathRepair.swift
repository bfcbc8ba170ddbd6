/// Undoes what proxies and chat programs do to a path: they escape the colons of steps, and merge the slashes
/// after the scheme of a source.
struct PathRepair {
    private let bytes: [UInt8]
    private let text: Substring

    /// `text` starts with the slash after the signature.
    init(_ text: Substring) { (self.text, bytes) = (text, Array(text.utf8)) }

    /// The repaired text; nil if there is nothing to repair.
    var repaired: VerifiedPath? {
        guard let source = SourcePosition(in: text) else { return nil }
        let start = text.utf8.distance(from: text.startIndex, to: source.content.startIndex)
        let slash = source.keyword == .plain ? mergedSlash(after: start) : nil
        guard slash != nil || (0..<start).contains(where: isEscapedColon) else { return nil }
        var repaired: [UInt8] = []
        var origins: [Int] = []
        var index = 0
        while index < start {
            let isColon = isEscapedColon(at: index)
            repaired.append(isColon ? UInt8(ascii: ":") : bytes[index])
            origins.append(index)
            index += isColon ? 3 : 1
        }
        for index in start..<bytes.count {
            let count = slash?.index == index ? 1 + (slash?.missing ?? 0) : 1
            repaired += Array(repeating: bytes[index], count: count)
            origins += Array(repeating: index, count: count)
        }
        return VerifiedPath(repaired, origins: origins)
    }

    private func isEscapedColon(at index: Int) -> Bool {
        index + 2 < bytes.count && bytes[index] == UInt8(ascii: "%") && bytes[index + 1] == UInt8(ascii: "3")
            && bytes[index + 2] | 0x20 == UInt8(ascii: "a")
    }

    /// The single slash after a scheme, and how many are missing; `local:` has three.
    private func mergedSlash(after start: Int) -> (index: Int, missing: Int)? {
        for (scheme, missing) in [("http:/", 1), ("https:/", 1), ("s3:/", 1), ("local:/", 2)] {
            let end = start + scheme.utf8.count
            guard bytes[start...].starts(with: scheme.utf8) else { continue }
            return end < bytes.count && bytes[end] == UInt8(ascii: "/") ? nil : (end - 1, missing)
        }
        return nil
    }
}

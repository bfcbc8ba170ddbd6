/// Segments of a path that clients or servers remove: `.` and `..`.
enum DotSegments {
    /// Whether a server that decodes the path once may find one: with escapes, with `\` as a separator, or
    /// with parameters after `;`.
    static func isFound(in path: some StringProtocol) -> Bool {
        decoded(path).split { "/\\".utf8.contains($0) }.contains { segment in
            isDots(segment.prefix { $0 != UInt8(ascii: ";") })
        }
    }

    static func isDots(_ segment: some Collection<UInt8>) -> Bool {
        (1...2).contains(segment.count) && segment.allSatisfy { $0 == UInt8(ascii: ".") }
    }

    /// Decoded once; `%` without two digits is kept.
    private static func decoded(_ path: some StringProtocol) -> [UInt8] {
        let bytes = Array(path.utf8)
        var decoded: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = PercentEncoding.hex(bytes[index + 1]),
                let low = PercentEncoding.hex(bytes[index + 2])
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return decoded
    }
}

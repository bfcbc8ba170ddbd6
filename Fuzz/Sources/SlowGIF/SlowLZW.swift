/// LZW as in GIF's specification (GIF89a, appendix F): each string is a previous string and one index. Reads
/// bit by bit.
public enum SlowLZW {
    /// The first `count` indices, or nil if the codes are invalid or too few.
    public static func unpack(_ bytes: [UInt8], codeSize: Int, count: Int) -> [UInt8]? {
        guard codeSize <= 8 else { return nil }
        let clear = 1 << codeSize
        // The entries of clear and end code are never used.
        let fresh = (0..<clear + 2).map { (before: Int?.none, last: UInt8(truncatingIfNeeded: $0)) }
        var strings = fresh
        var width = codeSize + 1
        var previous: Int?
        var indices: [UInt8] = []
        var backwards: [UInt8] = []
        var bit = 0
        while indices.count < count {
            guard let code = number(in: bytes, at: bit, width: width) else { return nil }
            bit += width
            if code == clear {
                (strings, width, previous) = (fresh, codeSize + 1, nil)
                continue
            }
            if code == clear + 1 { return nil }
            // A code may refer to the string that it defines: the previous string and its first index.
            let isNew = code == strings.count
            guard code < strings.count || isNew && previous != nil else { return nil }
            backwards.removeAll(keepingCapacity: true)
            var link = isNew ? previous : code
            while let place = link {
                backwards.append(strings[place].last)
                link = strings[place].before
            }
            let first = backwards[backwards.count - 1]
            indices += backwards.reversed()
            if isNew { indices.append(first) }
            // A full list does not change until a clear code.
            if let previous, strings.count < 4096 { strings.append((previous, first)) }
            if strings.count >= 1 << width, width < 12 { width += 1 }
            previous = code
        }
        return Array(indices.prefix(count))
    }

    /// The number of `width` bits, the lowest first, or nil after the end.
    private static func number(in bytes: [UInt8], at bit: Int, width: Int) -> Int? {
        guard bit + width <= bytes.count * 8 else { return nil }
        return (bit..<bit + width).reduce(0) { number, place in
            number | Int(bytes[place / 8] >> UInt8(place % 8) & 1) << (place - bit)
        }
    }
}

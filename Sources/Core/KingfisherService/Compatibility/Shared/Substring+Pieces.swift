extension Substring {
    /// The pieces between all occurrences of an ASCII character, empty ones included.
    ///
    /// By bytes: a separator before a combining mark is not a `Character` of its own.
    func pieces(separatedBy separator: Unicode.Scalar) -> [Substring] {
        let byte = UInt8(ascii: separator)
        return utf8.split(separator: byte, omittingEmptySubsequences: false).map { Substring($0) }
    }

    /// The text before the first occurrence of an ASCII character, and the text after it; nil without one.
    func divided(at separator: Unicode.Scalar) -> (before: Substring, after: Substring)? {
        guard let index = utf8.firstIndex(of: UInt8(ascii: separator)) else { return nil }
        return (self[..<index], Substring(utf8[utf8.index(after: index)...]))
    }
}

extension StringProtocol {
    /// The text for a message if it looks like a name, otherwise a question mark.
    var asName: String {
        let isName = (1...40).contains(utf8.count) && utf8.allSatisfy { isNameByte($0) }
        return isName ? String(self) : "?"
    }

    private func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

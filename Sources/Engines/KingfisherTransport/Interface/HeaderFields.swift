import Glibc

/// The header fields of one response, stored as received. Lines are split once, values are read on access.
/// Names are case-insensitive.
///
/// Repeated fields are joined by commas if their values are lists (RFC 9110, 5.3); of others the first one
/// counts. Folded lines are joined by a space (RFC 9112, 5.2). Malformed lines are ignored.
struct HeaderFields: Sendable {
    /// Fields that are no lists (RFC 9110, 9111 and 6266).
    private static let singleFields: Set = [
        "age", "content-disposition", "content-length", "content-location", "content-range", "content-type",
        "date", "etag", "expires", "last-modified", "location", "retry-after", "server",
    ]

    /// Ranges in ``bytes``. A line with an empty name continues the preceding field.
    private struct Line {
        let name: Range<Int>
        let value: Range<Int>
    }

    private let bytes: [UInt8]
    private var lines: [Line] = []
    private(set) var contentLength = ContentLength.none

    /// Parses lines, each of which ends with a line break of any kind.
    init(_ block: [UInt8] = []) {
        bytes = block
        guard !block.isEmpty else { return }
        lines.reserveCapacity(16)  // enough for most heads
        block.withUnsafeBytes { block in
            var start = 0
            while start < block.count {
                let end = Self.index(of: 10, in: block, start..<block.count) ?? block.count
                // Before the line feed there is usually a carriage return, which then ends an empty line.
                while let middle = Self.index(of: 13, in: block, start..<end) {
                    take(block, start..<middle)
                    start = middle + 1
                }
                take(block, start..<end)
                start = end + 1
            }
        }
        contentLength = parsedContentLength
    }

    func value(for name: String) -> String? {
        var value: String?
        var isSurplus = false
        visit(name) { range, isFolded in
            if !isFolded { isSurplus = value != nil && Self.singleFields.contains(name.lowercased()) }
            if !isSurplus { Self.add(Self.text(bytes[range]), to: &value, isFolded: isFolded) }
        }
        return value
    }

    /// The values of a field, one per line; only folded lines are joined.
    func values(for name: String) -> [[UInt8]] {
        var values: [[UInt8]] = []
        visit(name) { range, isFolded in
            if isFolded {
                values[values.count - 1] += [0x20] + bytes[range]
            } else {
                values.append(Array(bytes[range]))
            }
        }
        return values
    }

    /// All fields, by the first spelling of each name.
    ///
    /// A `Content-Length` beside a `Transfer-Encoding` and repetitions of the same length are omitted (RFC
    /// 9112, 6.3).
    var byName: [String: String] {
        var fields: [String: String] = [:]
        var spellings: [String: String] = [:]
        var last = ""
        var isSurplus = false
        for line in lines {
            if !line.name.isEmpty {
                let name = Self.text(bytes[line.name])
                let key = name.lowercased()
                isSurplus = spellings[key] != nil && Self.singleFields.contains(key)
                last = spellings[key] ?? name
                spellings[key] = last
            }
            guard !isSurplus else { continue }
            Self.add(Self.text(bytes[line.value]), to: &fields[last], isFolded: line.name.isEmpty)
        }
        if let name = spellings["content-length"] { fields[name] = contentLength.text }
        return fields
    }

    private static func add(_ text: String, to value: inout String?, isFolded: Bool) {
        guard value != nil else { return value = text }
        value?.append(isFolded ? " " : ", ")
        value?.append(text)
    }

    private mutating func take(_ block: UnsafeRawBufferPointer, _ line: Range<Int>) {
        guard !line.isEmpty else { return }
        let isFolded = Self.isBlank(block[line.lowerBound])
        if isFolded, lines.isEmpty { return }
        var nameEnd = line.lowerBound
        if !isFolded {
            guard let colon = Self.index(of: 58, in: block, line) else { return }
            nameEnd = colon
        }
        let name = Self.trimmed(line.lowerBound..<nameEnd, of: block)
        guard isFolded || !name.isEmpty else { return }
        let value = Self.trimmed((isFolded ? nameEnd : nameEnd + 1)..<line.upperBound, of: block)
        lines.append(Line(name: name, value: value))
    }

    private func visit(_ name: String, _ body: (_ value: Range<Int>, _ isFolded: Bool) -> Void) {
        var name = name
        name.withUTF8 { name in
            bytes.withUnsafeBufferPointer { bytes in
                var isWanted = false
                for line in lines {
                    if !line.name.isEmpty { isWanted = Self.isEqual(name, bytes, line.name) }
                    if isWanted { body(line.value, line.name.isEmpty) }
                }
            }
        }
    }
}

// MARK: The length of the body

extension HeaderFields {
    /// The meaning of `Content-Length` by RFC 9112, 6.3.
    enum ContentLength: Equatable {
        /// Absent, or overridden by `Transfer-Encoding`.
        case none
        case bytes(Int)
        /// A truncated body could not be detected: the numbers differ, are malformed, or are too large for
        /// libcurl.
        case unusable

        fileprivate var text: String? {
            if case .bytes(let count) = self { String(count) } else { nil }
        }
    }

    private var parsedContentLength: ContentLength {
        var only: Range<Int>?
        var count = 0
        visit("Content-Length") { value, _ in
            only = value
            count += 1
        }
        guard let only, !contains("Transfer-Encoding") else { return .none }
        if count == 1, let number = plainNumber(only) { return .bytes(number) }
        let numbers = Array(values(for: "Content-Length").joined(separator: [44])).split(separator: 44)
            .map(Self.number)
        guard let first = numbers.first, let first, numbers.allSatisfy({ $0 == first }) else {
            return .unusable
        }
        return .bytes(first)
    }

    var announcedBodyBytes: Int? {
        guard case .bytes(let count) = contentLength,
            value(for: "Content-Encoding").map({ $0.lowercased() == "identity" }) ?? true
        else { return nil }
        return count
    }

    private func contains(_ name: String) -> Bool {
        var isFound = false
        visit(name) { _, _ in isFound = true }
        return isFound
    }

    /// Parses plain digits, which are nearly all lengths, without creating a string.
    private func plainNumber(_ range: Range<Int>) -> Int? {
        guard (1...18).contains(range.count) else { return nil }
        var number = 0
        for index in range {
            guard (48...57).contains(bytes[index]) else { return nil }
            number = number * 10 + Int(bytes[index] - 48)
        }
        return number
    }

    private static func number(_ text: ArraySlice<UInt8>) -> Int? {
        let digits = text.drop(while: Self.isBlank).prefix { !isBlank($0) }
        guard text[digits.endIndex...].allSatisfy(isBlank), !digits.isEmpty,
            digits.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        return Int(String(decoding: digits, as: UTF8.self))
    }
}

// MARK: Bytes

extension HeaderFields {
    private static func index(of byte: CInt, in line: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
        guard let start = line.baseAddress, let found = memchr(start + range.lowerBound, byte, range.count)
        else { return nil }
        return UnsafeRawPointer(found) - start
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }

    private static func trimmed(_ range: Range<Int>, of line: UnsafeRawBufferPointer) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, isBlank(line[start]) { start += 1 }
        while end > start, isBlank(line[end - 1]) { end -= 1 }
        return start..<end
    }

    private static func isEqual(
        _ name: UnsafeBufferPointer<UInt8>, _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
    ) -> Bool {
        guard name.count == range.count else { return false }
        for index in name.indices where small(name[index]) != small(bytes[range.lowerBound + index]) {
            return false
        }
        return true
    }

    private static func small(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte | 32 : byte }

    /// UTF-8 if valid, otherwise Latin-1, in which every byte is a character.
    static func text(_ bytes: some Collection<UInt8>) -> String {
        String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}

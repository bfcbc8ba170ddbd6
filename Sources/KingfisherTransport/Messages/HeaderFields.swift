/// The header fields of one response, kept as they came and read where somebody asks for them.
///
/// Repeated fields are joined by commas (RFC 9110, 5.3), folded lines by a space (RFC 9112, 5.2). Lines that are no
/// fields are passed over.
struct HeaderFields: Sendable {
    /// Ranges of ``bytes``. Without a name it continues the field before it.
    private struct Line {
        let name: Range<Int>
        let value: Range<Int>
    }

    private var bytes: [UInt8] = []
    private var lines: [Line] = []

    /// Takes what was sent as one line, with or without its ending. A line break of any kind inside it ends a line
    /// as well, so that none comes out in a value.
    mutating func append(_ line: UnsafeRawBufferPointer) {
        var start = bytes.count
        bytes.append(contentsOf: line)
        for index in start..<bytes.count where bytes[index] == 13 || bytes[index] == 10 {
            take(start..<index)
            start = index + 1
        }
        take(start..<bytes.count)
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        lines.removeAll(keepingCapacity: true)
    }

    /// The value of a field, by its name in whatever case; nil where there is none.
    func value(for name: String) -> String? {
        var value: String?
        var isWanted = false
        for line in lines {
            if !line.name.isEmpty { isWanted = isCalled(name, line) }
            guard isWanted else { continue }
            Self.add(text(line.value), to: &value, isFolded: line.name.isEmpty)
        }
        return value
    }

    /// The values of a field, each as its line had it; nothing is joined but what was folded.
    func values(for name: String) -> [String] {
        var values: [String] = []
        var isWanted = false
        for line in lines {
            if !line.name.isEmpty { isWanted = isCalled(name, line) }
            guard isWanted else { continue }
            if line.name.isEmpty {
                values[values.count - 1] += " " + text(line.value)
            } else {
                values.append(text(line.value))
            }
        }
        return values
    }

    /// All fields, by the spelling that each name came with first.
    ///
    /// What says nothing about the length is left out: a `Content-Length` beside a `Transfer-Encoding`, and
    /// repetitions of the same one (RFC 9112, 6.3).
    var byName: [String: String] {
        var fields: [String: String] = [:]
        var spellings: [String: String] = [:]
        var last = ""
        for line in lines {
            if !line.name.isEmpty {
                let name = text(line.name)
                let key = name.lowercased()
                last = spellings[key] ?? name
                spellings[key] = last
            }
            Self.add(text(line.value), to: &fields[last], isFolded: line.name.isEmpty)
        }
        if let name = spellings["content-length"] { fields[name] = contentLength.text }
        return fields
    }

    private static func add(_ text: String, to value: inout String?, isFolded: Bool) {
        guard value != nil else { return value = text }
        value?.append(isFolded ? " " : ", ")
        value?.append(text)
    }

    private mutating func take(_ line: Range<Int>) {
        guard let first = line.first else { return }
        if isSpace(first) {
            if !lines.isEmpty { lines.append(Line(name: 0..<0, value: trimmed(line))) }
            return
        }
        guard let colon = bytes[line].firstIndex(of: 58) else { return }
        let name = trimmed(line.lowerBound..<colon)
        guard !name.isEmpty else { return }
        lines.append(Line(name: name, value: trimmed(colon + 1..<line.upperBound)))
    }
}

// MARK: The length of the body

extension HeaderFields {
    /// What `Content-Length` says, settled by RFC 9112, 6.3.
    enum ContentLength: Equatable {
        /// Nothing, or nothing that counts.
        case none
        case bytes(Int)
        /// Nobody could tell a whole body from a part: different numbers, none, or one that is too large, which
        /// libcurl takes for no number.
        case unusable

        fileprivate var text: String? {
            if case .bytes(let count) = self { String(count) } else { nil }
        }
    }

    var contentLength: ContentLength {
        guard let text = value(for: "Content-Length"), value(for: "Transfer-Encoding") == nil else {
            return .none
        }
        let numbers = text.utf8.split(separator: 44).map(Self.number)
        guard let first = numbers.first, let first, numbers.allSatisfy({ $0 == first }) else {
            return .unusable
        }
        return .bytes(first)
    }

    /// The length of the decoded body, where it is announced.
    var announcedBodyBytes: Int? {
        guard case .bytes(let count) = contentLength,
            value(for: "Content-Encoding").map({ $0.lowercased() == "identity" }) ?? true
        else { return nil }
        return count
    }

    /// Digits between blanks; a sign is none.
    private static func number(_ text: Substring.UTF8View) -> Int? {
        let isBlank = { (byte: UInt8) in byte == 32 || byte == 9 }
        let digits = text.drop(while: isBlank).prefix { !isBlank($0) }
        guard text[digits.endIndex...].allSatisfy(isBlank), !digits.isEmpty,
            digits.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        return Int(Substring(digits))
    }
}

// MARK: Bytes

extension HeaderFields {
    private func isSpace(_ index: Int) -> Bool { bytes[index] == 32 || bytes[index] == 9 }

    private func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, isSpace(start) { start += 1 }
        while end > start, isSpace(end - 1) { end -= 1 }
        return start..<end
    }

    /// Without regard to the case of ASCII letters, and there are no others in names.
    private func isCalled(_ name: String, _ line: Line) -> Bool {
        name.utf8.count == line.name.count
            && zip(name.utf8, bytes[line.name]).allSatisfy { Self.small($0) == Self.small($1) }
    }

    private static func small(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte | 32 : byte }

    /// UTF-8 where it is that, else Latin-1, in which every byte is a character.
    private func text(_ range: Range<Int>) -> String {
        String(validating: bytes[range], as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes[range].map { Unicode.Scalar($0) }))
    }
}

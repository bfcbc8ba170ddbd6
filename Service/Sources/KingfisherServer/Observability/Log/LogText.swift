/// Bytes of a line of the log. A line is written for each request, so ASCII is not decoded.
struct LogText {
    private(set) var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(512) }

    /// Text as it is.
    mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// A value: as it is, or as a string of JSON.
    mutating func appendValue(_ text: String) {
        if !text.isEmpty, text.utf8.allSatisfy({ Self.isWord($0) || Self.isPunctuation($0) }) {
            append(text)
        } else {
            appendQuoted(text)
        }
    }

    /// A message: as it is, or as a string of JSON if it could be read as a field or as another line.
    mutating func appendMessage(_ text: String) {
        let isPlain = text.unicodeScalars.allSatisfy { $0 != "=" && $0 != "\"" && !Self.isEscaped($0) }
        if isPlain { append(text) } else { appendQuoted(text) }
    }

    /// A string of JSON, in which the printable characters of all scripts are as they are.
    mutating func appendQuoted(_ text: String) {
        append("\"")
        defer { append("\"") }
        if text.utf8.allSatisfy({ Self.isWord($0) || Self.isPunctuation($0) }) { return append(text) }
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": append("\\\(scalar)")
            case "\n": append("\\n")
            case "\r": append("\\r")
            case "\t": append("\\t")
            case _ where Self.isEscaped(scalar): for unit in String(scalar).utf16 { appendEscape(unit) }
            default: if let units = UTF8.encode(scalar) { bytes.append(contentsOf: units) }
            }
        }
    }

    /// `2026-11-28T20:30:01.123Z`; times before 1970 count as 1970.
    mutating func appendTime(_ milliseconds: Int64) {
        let (seconds, thousandths) = Int(max(0, milliseconds)).quotientAndRemainder(dividingBy: 1_000)
        let (days, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
        // Years begin in March, so that the leap day is the last one. An era has 400 years.
        let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        append(era * 400 + yearOfEra + (month <= 2 ? 1 : 0), digits: 4, "-")
        append(month, digits: 2, "-")
        append(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1, digits: 2, "T")
        append(second / 3_600, digits: 2, ":")
        append(second / 60 % 60, digits: 2, ":")
        append(second % 60, digits: 2, ".")
        append(thousandths, digits: 3, "Z")
    }

    /// A name of a field: other characters than letters, digits, `.`, `_` and `-` become `_`.
    static func name(_ text: String) -> String {
        if !text.isEmpty, text.utf8.count <= 64, text.utf8.allSatisfy(isWord) { return text }
        let name = text.prefix(bytes: 64).unicodeScalars.map { scalar in
            scalar.isASCII && isWord(UInt8(scalar.value)) ? Character(scalar) : "_"
        }
        return name.isEmpty ? "_" : String(name)
    }

    /// Control characters, those that change the direction or the line, and a backslash.
    private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F || scalar == "\\" }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
        default: false
        }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func isPunctuation(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "@"), UInt8(ascii: "+"): true
        default: false
        }
    }

    private mutating func append(_ number: Int, digits count: Int, _ end: Unicode.Scalar) {
        let text = "\(number)"
        for _ in 0..<max(0, count - text.utf8.count) { bytes.append(UInt8(ascii: "0")) }
        append(text)
        bytes.append(UInt8(ascii: end))
    }

    private mutating func appendEscape(_ unit: UInt16) {
        let text = String(unit, radix: 16)
        append("\\u" + String(repeating: "0", count: 4 - text.utf8.count) + text)
    }
}

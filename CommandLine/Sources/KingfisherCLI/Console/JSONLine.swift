/// A JSON object on one line, with its members in the given order (RFC 8259).
struct JSONLine: CustomStringConvertible {
    enum Value {
        /// Text whose URLs are redacted.
        case text(String)
        /// A redacted source.
        case source(String)
        case whole(Int)
        /// Printed with one decimal.
        case tenths(Double)
        /// Seconds, rounded to microseconds.
        case seconds(Double)
        case truth(Bool)
        /// A finite number with as many digits as it needs.
        case number(Double)
        /// An object that is already text.
        case object(String)
        case list([Value])
        case null
    }

    private var members: [(key: String, value: Value)]

    init(_ members: KeyValuePairs<String, Value>) {
        self.members = Array(members)
    }

    var isEmpty: Bool { members.isEmpty }

    /// Appends a member, if it has a value.
    mutating func append(_ key: String, _ value: Value?) {
        if let value { members.append((key, value)) }
    }

    mutating func append(_ more: KeyValuePairs<String, Value>) {
        members += Array(more)
    }

    var description: String {
        let inside = members.map { "\(Self.quoted($0.key)):\(Self.text(of: $0.value))" }
        return "{\(inside.joined(separator: ","))}"
    }

    /// The object as a member of another one.
    var value: Value { .object(description) }

    private static func text(of value: Value) -> String {
        switch value {
        case .text(let text): quoted(text.redacted)
        case .source(let text): quoted(text.redactedSource)
        case .whole(let number): String(number)
        case .tenths(let number): number.isFinite ? String((number * 10).rounded() / 10) : "null"
        case .seconds(let number): number.isFinite ? String((number * 1e6).rounded() / 1e6) : "null"
        case .truth(let truth): String(truth)
        case .number(let number): number.isFinite ? "\(number)" : "null"
        case .object(let text): text
        case .list(let values): "[\(values.map(Self.text).joined(separator: ","))]"
        case .null: "null"
        }
    }

    /// Escapes the same characters as other output; a byte that is not UTF-8 becomes `\\xE9`.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default:
                if let escape = scalar.escape {
                    result += (scalar.rawByte == nil ? "" : "\\") + escape
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result + "\""
    }
}

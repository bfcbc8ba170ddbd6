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
        case object([Member])
        case list([Value])
        case null
    }

    struct Member {
        let key: String
        let value: Value
    }

    private var members: [Member]

    init(_ members: KeyValuePairs<String, Value>) {
        self.members = members.map(Member.init)
    }

    var isEmpty: Bool { members.isEmpty }

    /// Appends a member, if it has a value.
    mutating func append(_ key: String, _ value: Value?) {
        if let value { members.append(Member(key: key, value: value)) }
    }

    mutating func append(_ more: KeyValuePairs<String, Value>) {
        members += more.map(Member.init)
    }

    var description: String { Self.text(of: members) }

    private static func text(of members: [Member]) -> String {
        let inside = members.map { "\(quoted($0.key)):\(text(of: $0.value))" }
        return "{\(inside.joined(separator: ","))}"
    }

    /// The object as a member of another one.
    var value: Value { .object(members) }

    /// The members as `a: text` and `b.c: text`, without those that have no value.
    var lines: [String] { Self.lines(of: members, after: "") }

    private static func lines(of members: [Member], after prefix: String) -> [String] {
        members.flatMap { member -> [String] in
            let name = prefix + member.key
            return switch member.value {
            case .object(let members): lines(of: members, after: "\(name).")
            case .list(let values): ["\(name): \(values.map(plain).joined(separator: ", "))"]
            case .null: []
            default: ["\(name): \(plain(member.value))"]
            }
        }
    }

    private static func plain(_ value: Value) -> String {
        if case .text(let text) = value { text } else { text(of: value) }
    }

    private static func text(of value: Value) -> String {
        switch value {
        case .text(let text): quoted(text.redacted)
        case .source(let text): quoted(text.redactedSource)
        case .whole(let number): String(number)
        case .tenths(let number): number.isFinite ? String((number * 10).rounded() / 10) : "null"
        case .seconds(let number): number.isFinite ? String((number * 1e6).rounded() / 1e6) : "null"
        case .truth(let truth): String(truth)
        case .number(let number): number.isFinite ? "\(number)" : "null"
        case .object(let members): text(of: members)
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

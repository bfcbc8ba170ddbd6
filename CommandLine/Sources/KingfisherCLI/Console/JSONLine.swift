/// One JSON object on one line, its members in the order given (RFC 8259).
struct JSONLine: CustomStringConvertible {
    enum Value {
        case text(String)
        case whole(Int)
        /// Written with one decimal.
        case tenths(Double)
        /// Seconds, to the microsecond.
        case seconds(Double)
        case truth(Bool)
        case list([Value])
        case null
    }

    let members: KeyValuePairs<String, Value>

    init(_ members: KeyValuePairs<String, Value>) {
        self.members = members
    }

    var description: String {
        let inside = members.map { "\(Self.quoted($0.key)):\(Self.text(of: $0.value))" }
        return "{\(inside.joined(separator: ","))}"
    }

    private static func text(of value: Value) -> String {
        switch value {
        case .text(let text): quoted(text)
        case .whole(let number): String(number)
        case .tenths(let number): number.isFinite ? String((number * 10).rounded() / 10) : "null"
        case .seconds(let number): number.isFinite ? String((number * 1e6).rounded() / 1e6) : "null"
        case .truth(let truth): String(truth)
        case .list(let values): "[\(values.map(Self.text).joined(separator: ","))]"
        case .null: "null"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

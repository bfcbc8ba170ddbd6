/// A line of the log: time, level, message and fields, as text or as a JSON object.
///
/// Text: `2026-11-28T20:30:01.123Z info Listening address=127.0.0.1:8080`. A value with other characters than
/// letters, digits and `._:/@+-` is a string of JSON. So is a message with `=`, a quotation mark, a backslash
/// or a control character. No text can therefore begin a line or a field.
struct LogLine {
    /// A value of a field.
    enum Value: Hashable {
        case text(String)
        /// A number as JSON writes it.
        case number(String)

        var text: String {
            switch self {
            case .text(let text), .number(let text): text
            }
        }
    }

    /// The name of a field is a word, and differs from the other names.
    typealias Field = (name: String, value: Value)

    /// The maximum number of bytes of a value, and of a message, before they are escaped.
    static let maximumValue = 256
    static let maximumMessage = 2_048

    /// Milliseconds since 1970.
    var time: Int64
    var level: String
    var message: String
    var fields: [Field]

    /// With a line feed at its end, and none before.
    func bytes(json: Bool) -> [UInt8] {
        var text = LogText()
        if json { writeObject(to: &text) } else { writeLine(to: &text) }
        text.append("\n")
        return text.bytes
    }

    private func writeLine(to text: inout LogText) {
        text.appendTime(time)
        text.append(" ")
        text.append(level)
        text.append(" ")
        text.appendMessage(message.prefix(bytes: Self.maximumMessage))
        for (name, value) in fields {
            text.append(" ")
            text.append(name)
            text.append("=")
            switch value {
            case .number(let number): text.append(number)
            case .text(let value): text.appendValue(value.prefix(bytes: Self.maximumValue))
            }
        }
    }

    private func writeObject(to text: inout LogText) {
        text.append("{\"time\":\"")
        text.appendTime(time)
        text.append("\",\"level\":\"")
        text.append(level)
        text.append("\",\"message\":")
        text.appendQuoted(message.prefix(bytes: Self.maximumMessage))
        for (name, value) in fields {
            text.append(",\"")
            text.append(name)
            text.append("\":")
            switch value {
            case .number(let number): text.append(number)
            case .text(let value): text.appendQuoted(value.prefix(bytes: Self.maximumValue))
            }
        }
        text.append("}")
    }
}

/// The text of an error's response: one line, as plain text or as JSON.
struct ErrorBody {
    let mediaType: String
    let text: String

    private static let longestMessage = 512

    init(_ error: ServiceError, _ context: ServiceResponseContext, isDevelopment: Bool) {
        let cause = isDevelopment ? error.cause.map { " " + $0 } : nil
        let message = Self.line(error.message) + (cause ?? "")
        let fault = isDevelopment ? error.offset.flatMap { URLFault($0, in: context.path) } : nil
        if context.accept.names("application/json") {
            mediaType = "application/json"
            var members = ["\"status\":\(error.status)", "\"message\":\(Self.quoted(message))"]
            if let fault {
                members.append("\"offset\":\(fault.offset)")
                if let character = fault.character {
                    members.append("\"character\":\(Self.quoted(Self.line(character)))")
                }
            }
            text = "{\(members.joined(separator: ","))}\n"
        } else {
            mediaType = "text/plain; charset=utf-8"
            text = message + (fault.map { " " + Self.line($0.sentence) } ?? "") + "\n"
        }
    }

    /// The beginning of a text, with a replacement character for each one that could begin a line or is not
    /// visible.
    private static func line(_ text: String) -> String {
        var line = ""
        for scalar in text.unicodeScalars.prefix(longestMessage) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: line.append("\u{FFFD}")
            default: line.unicodeScalars.append(scalar)
            }
        }
        return line
    }

    /// A string of JSON (RFC 8259, section 7) without control characters.
    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}

/// Which character of a URL is wrong.
private struct URLFault {
    /// In bytes.
    let offset: Int
    /// Nil at the end of the path.
    let character: String?

    /// Nil beyond the path.
    init?(_ offset: Int, in path: String) {
        let bytes = path.utf8
        guard (0...bytes.count).contains(offset) else { return nil }
        self.offset = offset
        let index = bytes.index(bytes.startIndex, offsetBy: offset)
        guard index < bytes.endIndex else {
            character = nil
            return
        }
        // An index inside a character of several bytes is rounded down to its beginning (SE-0180).
        character = String(path.unicodeScalars[index])
    }

    var sentence: String {
        character.map { "Byte \(offset) of the path is '\($0)'." } ?? "The path ends at byte \(offset)."
    }
}

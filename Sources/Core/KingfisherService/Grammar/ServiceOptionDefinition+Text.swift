extension ServiceOptionDefinition {
    /// The options as a table in Markdown.
    public static func markdownTable() -> String {
        let rows = all.map { [code($0.usage), $0.summary, $0.defaultValue, code($0.example)] }
        let lines = [["option", "meaning", "default", "example"], ["---", "---", "---", "---"]] + rows
        return lines.map { "| " + $0.map(cell).joined(separator: " | ") + " |\n" }.joined()
    }

    /// The options as text for a terminal of `width` columns.
    public static func helpText(width: Int = 80) -> String {
        let indent = "    "
        return all.map { option in
            let text = option.summary + " Default: \(option.defaultValue). Example: \(option.example)"
            let lines = wrapped(text, columns: max(width - indent.count, 20)).map { indent + $0 + "\n" }
            return "  \(option.usage)\n" + lines.joined()
        }.joined()
    }

    private static func code(_ text: String) -> String { "`\(text)`" }

    /// A bar would end the cell, also in code.
    private static func cell(_ text: String) -> String { text.replacing("|", with: "\\|") }

    private static func wrapped(_ text: String, columns: Int) -> [String] {
        text.split(separator: " ").reduce(into: []) { lines, word in
            if let last = lines.last, last.count + 1 + word.count <= columns {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
    }
}
